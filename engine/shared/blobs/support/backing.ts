import type { IncomingMessage, ServerResponse } from 'node:http'

/** A program that stores objects, behind the server that tests talk to. */
export interface Backing {
  readonly bucket: string
  answer(request: IncomingMessage, response: ServerResponse): void
  /** Keys of all objects. */
  keys(): Promise<string[]>
  /** Ids of uploads that were begun and neither completed nor aborted. */
  uploads(): Promise<string[]>
  /** Those of them for which bytes have arrived, each with the numbers of its parts: `ID/NUMBER`. */
  begunUploads(): Promise<string[]>
  /** Removes all objects, and ends what was started for them. */
  end(): Promise<void>
}
