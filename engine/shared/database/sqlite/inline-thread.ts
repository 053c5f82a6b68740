import { SqliteHost } from './host.ts'
import type { Reply, Thread, ThreadTask } from './protocol.ts'

/** Runs the connections on the calling thread. For tests, and for commands that serve no requests. */
export function inlineThread(task: ThreadTask): Thread {
  const host = new SqliteHost(task)
  let hearReply: (reply: Reply) => void = () => {}
  let hearEnd: (cause: unknown) => void = () => {}
  return {
    // Replies are asynchronous, like those of a real thread.
    post: (request) =>
      queueMicrotask(() => {
        hearReply(host.answer(request))
        if (request.ask.kind === 'close') hearEnd(undefined)
      }),
    onReply: (hear) => {
      hearReply = hear
    },
    onEnd: (hear) => {
      hearEnd = hear
    },
  }
}
