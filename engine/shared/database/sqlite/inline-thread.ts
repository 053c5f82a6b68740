import { SqliteHost } from './host.ts'
import type { Reply, Thread, ThreadTask } from './protocol.ts'

/** Runs the connections on the calling thread. For tests, and for commands that serve no requests. */
export function inlineThread(task: ThreadTask): Thread {
  const host = new SqliteHost(task)
  let handleReply: (reply: Reply) => void = () => {}
  let handleEnd: (cause: unknown) => void = () => {}
  return {
    // Replies are asynchronous, like those of a real thread.
    post: (request) =>
      queueMicrotask(() => {
        handleReply(host.answer(request))
        if (request.ask.kind === 'close') handleEnd(undefined)
      }),
    onReply: (handle) => {
      handleReply = handle
    },
    onEnd: (handle) => {
      handleEnd = handle
    },
  }
}
