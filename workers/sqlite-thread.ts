import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type {
  Reply,
  Request,
  Thread,
  ThreadTask,
} from '../engine/shared/database/sqlite/protocol.ts'

/** Returns the buffers to transfer with a request, so that packed rows are not copied. */
function movedWith({ ask }: Request): ArrayBuffer[] {
  return ask.kind === 'queryEach' && ask.rows instanceof Uint8Array ? [ask.rows.buffer] : []
}

/** Starts a thread that holds connections to an embedded database. */
export function startSqliteThread(task: ThreadTask): Thread {
  // tsc does not rewrite the extension in a URL, so the thread's file has the same extension as this one.
  const entry = new URL(`./sqlite-entry${extname(import.meta.filename)}`, import.meta.url)
  const worker = new Worker(entry, {
    workerData: task,
    // Most young objects of this thread are rows that are on their way to the main thread.
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 },
  })
  let cause: unknown
  worker.on('error', (error) => {
    cause = error
  })
  return {
    post: (request: Request) => worker.postMessage(request, movedWith(request)),
    onReply: (handle) => worker.on('message', (reply: Reply) => handle(reply)),
    onEnd: (handle) => worker.once('exit', () => handle(cause)),
  }
}
