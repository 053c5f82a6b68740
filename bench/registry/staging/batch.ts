import { sendLines } from '../line-batch.ts'
import { type AlgorithmName, PATHS } from './input.ts'

/** A file of cases, and where they are staged. */
interface BatchOrder {
  /** Of the service, such as `http://127.0.0.1:8080`. */
  readonly address: string
  readonly key: string
  readonly algorithm: AlgorithmName
  readonly cases: string
}

/** Sends a file of cases and writes the answers to another; milliseconds, as sendLines. */
export function sendBatch(
  { address, key, algorithm, cases }: BatchOrder,
  answers: string,
): Promise<number> {
  const order = { address, key, path: `${PATHS[algorithm]}/stage/batch`, lines: cases }
  return sendLines(order, answers)
}
