import { startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import type { GetFiles } from './get-files.ts'
import type { Outcome } from './wanted.ts'

interface Report extends Pick<GetFiles, 'onExpected' | 'onBytes' | 'onOutcome'> {
  failed(): number
  /** Removes the bar and prints a summary. */
  close(): void
}

/** Opens a report that writes results to standard output and everything else to standard error. */
export function openReport(terminal: Terminal, { json }: { readonly json: boolean }): Report {
  const progress = startProgress(terminal, 'fetching', 0)
  const counts = { complete: 0, present: 0, failed: 0 }
  const onOutcome = async (outcome: Outcome) => {
    counts[outcome.status]++
    progress.clearLine()
    if (json) return terminal.write(`${JSON.stringify(outcome)}\n`)
    const { id, path, verified, error } = outcome
    if (error !== undefined) return terminal.explain(`casemill: ${id}: ${error}`)
    if (!verified) terminal.explain(`casemill: ${id}: not verified, no md5 was given`)
    await terminal.write(`${id}\t${path}\n`)
  }
  return {
    onExpected: (bytes) => progress.expect(bytes),
    onBytes: (count) => progress.advance(count),
    onOutcome,
    failed: () => counts.failed,
    close: () => {
      progress.stop()
      const { complete, present, failed } = counts
      terminal.explain(`${complete} downloaded, ${present} already present, ${failed} failed`)
    },
  }
}
