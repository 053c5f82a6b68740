import { SqliteHost } from './host.ts'
import type { Reply, Thread, ThreadTask } from './protocol.ts'

/** No thread: connections on the calling one, for tests and for commands without a server's load. */
export function inlineThread(task: ThreadTask): Thread {
  const host = new SqliteHost(task)
  let hearReply: (reply: Reply) => void = () => {}
  let hearEnd: (cause: unknown) => void = () => {}
  return {
    // Answers come later, as those of a thread do.
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
