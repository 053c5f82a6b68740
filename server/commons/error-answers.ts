import { json } from '../http/reply.ts'
import { commonsFailures } from './errors.ts'

/** Builds an error response for errors that need additional headers or are no engine error. */
export function errorAnswer(
  code: 'not_found' | 'precondition_failed' | 'range_not_satisfiable',
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const status = commonsFailures.statuses[code]
  const failure = { code, status, message, path: '', requestId: '' }
  return json(status, commonsFailures.body(failure), headers)
}

/** Builds the response 412 for bytes that do not match the client's precondition. */
export const preconditionFailed = (): Response =>
  errorAnswer('precondition_failed', 'the bytes are not those that the precondition names')

/**
 * Builds the response 416 for a range beyond the end.
 * @param size length of the bytes
 */
export const rangeBeyond = (size: number): Response =>
  errorAnswer('range_not_satisfiable', `the range lies behind the end of ${size} bytes`, {
    'Content-Range': `bytes */${size}`,
  })
