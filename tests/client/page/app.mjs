// The page of the tests in the browser: the server's markup comes alive, in strict mode. `show` changes what is mounted.
import { createElement as h, StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";

import { client } from "../../../sdk/typescript/dist/client/index.js";
import { GristmillProvider } from "../../../sdk/typescript/dist/react/index.js";
import { View } from "./view.mjs";

const { url, key, token, shown } = window.ENV;
export const mill = client({ url, key, token: () => token, subscriptions: { heartbeat: 60_000, grace: 200 } });
export let show;
hydrateRoot(document.getElementById("root"), h(StrictMode, null, h(GristmillProvider, { client: mill }, h(View, { ...shown, onReady: (set) => (show = set) }))));
