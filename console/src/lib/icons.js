// The icons, as the paths of a 16 by 16 grid that is drawn with a line. Text beside them says the same: they are hidden from screen readers.
import { html } from "htm/preact";

const PATHS = {
  overview: "M2.5 9.5 5 6.8l2.6 2.4 5.9-6M10 3.2h3.5v3.4M2.5 13.2h11",
  jobs: "M5.5 4h8M5.5 8h8M5.5 12h8M2.4 4h.2M2.4 8h.2M2.4 12h.2",
  queue: "M2.5 3.5h11v3h-11zM2.5 9.5h11v3h-11z",
  dead: "M8 2.2 14 13H2zM8 6.5v3M8 11.3v.1",
  workflows: "M5 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM14 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM9.5 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM3.5 5c0 3 4.5 2.500 4.500 6M12.500 5c0 3-4.500 2.500-4.500 6",
  schedules: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.800V8l2.200 1.500",
  health: "M1.500 8.500h3l1.700-4.500 3.300 8 1.800-3.500h3.200",
  audit: "M4 1.800h5.500L12.500 5v9.200h-8.500zM9.200 2v3.200h3.100M6.300 8.300h4M6.300 11h4",
  documents: "M3.500 1.800h6L12.500 5v9.200h-9zM6 8h4M6 10.800h4",
  refresh: "M13.300 6.500A5.500 5.500 0 0 0 3.600 4.600L2.300 6M2.300 2.800V6h3.200M2.700 9.500a5.500 5.500 0 0 0 9.700 1.900L13.700 10M13.700 13.200V10h-3.200",
  exports: "M8 2v7.500M5 6.800l3 2.900 3-2.900M2.500 11v2.500h11V11",
  usage: "M2.500 13.500h11M4 11V8.500M8 11V4.500M12 11V6.500",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.700 10.700 14 14",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  play: "M4.500 2.800v10.400L13 8z",
  retry: "M13 8a5 5 0 1 1-1.600-3.700L13 5.700M13 2.500v3.200H9.800",
  cancel: "M4 4l8 8M12 4l-8 8",
  trash: "M3 4.500h10M6.500 4.300V2.700h3v1.600M4.500 4.500l.6 8.800h5.800l.6-8.800M6.800 7v4M9.200 7v4",
  edit: "M10.500 3.200l2.300 2.300-7.300 7.300H3.200v-2.300z",
  copy: "M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1",
  check: "M3 8.500l3.200 3.200L13 4.800",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.500v1.200M8 13.300v1.200M1.500 8h1.200M13.300 8h1.200M3.400 3.400l.9.9M11.700 11.700l.9.9M12.600 3.400l-.9.9M4.300 11.700l-.9.9",
  moon: "M13.500 9.600A5.700 5.700 0 0 1 6.400 2.500a5.700 5.700 0 1 0 7.100 7.100z",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.300 6.300c.2-2 3.500-1.900 3.400.1C9.600 7.700 8 7.700 8 9.200M8 11.300v.1",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  columns: "M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  left: "M10 4 6 8l4 4",
  eye: "M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 9.800a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600z",
  plus: "M8 3v10M3 8h10",
  stop: "M4 4h8v8H4z",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.300H3zM6.800 14h2.400",
  worker: "M3 3h10v4H3zM3 9h10v4H3zM5.200 5h.1M5.200 11h.1",
  door: "M6.500 2.500h-3v11h3M10 5l3 3-3 3M13 8H6.500",
  link: "M6.500 9.500l3-3M7.300 4.800l1.500-1.500a2.700 2.700 0 0 1 3.900 3.900l-1.500 1.500M8.700 11.200l-1.500 1.500a2.700 2.700 0 0 1-3.900-3.900l1.500-1.500",
};

/** @param {{name: keyof typeof PATHS | string, class?: string}} props */
export const Icon = ({ name, ...props }) =>
  html`<svg class=${`icon ${props.class ?? ""}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d=${PATHS[name] ?? PATHS.jobs} /></svg>`;

/** The mark of Gristmill: a millstone. */
export const Mark = () => html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="8" /><circle cx="16" cy="16" r="9" /><circle class="eye" cx="16" cy="16" r="2.4" />
  <path d="M16 7v5M16 20v5M7 16h5M20 16h5" /></svg>`;
