import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { THREADS } from '../../commons/search/threads.ts'
import type { AlgorithmName } from './input.ts'
import type { TextThreadData } from './text-thread.ts'

/** Two threads that have the cases as text at hand and drop what they answer. */
export interface TextThreads {
  /** Stages all cases; the bytes of the answers. */
  run(): Promise<number>
  stop(): Promise<void>
}

export async function startTextThreads(
  algorithm: AlgorithmName,
  lines: string,
): Promise<TextThreads> {
  const text = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(lines)))
  Buffer.from(text.buffer).write(lines)
  const taken = new Int32Array(new SharedArrayBuffer(4))
  const workerData: TextThreadData = { algorithm, text, taken }
  const entry = new URL('./text-thread.ts', import.meta.url)
  const threads = Array.from({ length: THREADS }, () => new Worker(entry, { workerData }))
  await Promise.all(threads.map((thread) => once(thread, 'message')))
  return {
    async run() {
      Atomics.store(taken, 0, 0)
      const answers = threads.map((thread) => once(thread, 'message'))
      for (const thread of threads) thread.postMessage('run')
      const bytes = (await Promise.all(answers)).map(([counted]) => counted as number)
      return bytes.reduce((sum, one) => sum + one, 0)
    },
    async stop() {
      await Promise.all(threads.map((thread) => thread.terminate()))
    },
  }
}
