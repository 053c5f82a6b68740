import type { Lanes } from './lanes.ts'
import type { Link } from './link.ts'
import type { Outcome } from './wanted.ts'

/** State that all downloads in one run of the command share. */
export interface Trip {
  readonly link: Link
  /** Limits the number of concurrent requests. */
  readonly lanes: Lanes
  /** Folder for the files' folders. */
  readonly folder: string
  /** How often and with which pauses a failed request is repeated. */
  readonly patience: Patience
  readonly signal: AbortSignal
  /** Returns a free name for a file. No two files of a folder get the same. */
  readonly claim: (folder: string, name: string, id: string) => string
  /** Called with the number of received bytes. A negative number means that bytes must be fetched again. */
  readonly onBytes: (count: number) => void
  /** Called with the number of bytes by which the expected total grows. */
  readonly onExpected: (bytes: number) => void
  readonly onOutcome: (outcome: Outcome) => Promise<void>
}

export interface Patience {
  /** Attempts without progress before a request is abandoned. */
  readonly tries: number
  /** Milliseconds to pause after the first failed attempt. Pauses double up to the longest. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

export const PATIENCE: Patience = { tries: 8, firstPauseMs: 500, longestPauseMs: 30_000 }
