// The job of the gallery and the code that runs it.
import { defineJob, handle, LostLease, type Mill } from "gristmill";

export const thumbnail = defineJob("thumbnail", { queue: "thumbnails", maxAttempts: 3 }).payload<{ picture: string }>();

/** Makes the small picture and stores it under `path`. */
export type Shrink = (picture: string, path: string, signal: AbortSignal) => Promise<void>;

export const handlers = (shrink: Shrink) => [
  handle(thumbnail, async ({ payload: { picture }, job, signal, mill }) => {
    // The attempt is part of the path, so that a worker that comes late overwrites nothing.
    const path = `thumbnails/${picture}-${job.attempt}.webp`;
    await shrink(picture, path, signal);
    // Ends the job together with its row. The call may be repeated: the function tells a repetition from a late call.
    const isOurs = await mill.rpc("finish_thumbnail", { p_job: job.id, p_worker: job.worker, p_attempt: job.attempt, p_path: path }, { repeatable: true });
    if (!isOurs) throw new LostLease("lost_lease", "another worker has the job");
    return { path };
  }),
];

export const requestThumbnail = (mill: Mill, picture: string): Promise<string> => mill.rpc("request_thumbnail", { p_picture: picture });
