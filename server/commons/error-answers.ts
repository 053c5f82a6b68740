import { json } from '../http/reply.ts'
import { commonsFailures } from './errors.ts'

/** An error that needs a header of its own, or that no engine knows. */
export function errorAnswer(
  code: 'not_found' | 'precondition_failed' | 'range_not_satisfiable',
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const status = commonsFailures.statuses[code]
  const failure = { code, status, message, path: '', requestId: '' }
  return json(status, commonsFailures.body(failure), headers)
}

/** The 412 of bytes that are not those that the client named. */
export const preconditionFailed = (): Response =>
  errorAnswer('precondition_failed', 'the bytes are not those that the precondition names')

/** The 416 of a range of so many bytes. */
export const rangeBeyond = (size: number): Response =>
  errorAnswer('range_not_satisfiable', `the range lies behind the end of ${size} bytes`, {
    'Content-Range': `bytes */${size}`,
  })
