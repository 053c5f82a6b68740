import { Command } from 'commander'
import { Finding } from '../frame.ts'
import { startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { withEngine } from '../threads.ts'

/** `casemill check` */
export function checkCommand(terminal: Terminal): Command {
  return new Command('check')
    .description('verify the data folder; one line per finding, exit status 1 if there is any')
    .action(async (_options: object, command: Command) => {
      const found = await withEngine(command, { create: false }, async (engine) => {
        const { bytes: total } = await engine.files.totals()
        const progress = startProgress(terminal, 'checking', total)
        let findings = 0
        try {
          const run = { signal: terminal.signal, onProgress: progress.advance }
          for await (const { subject, problem } of engine.check(run)) {
            findings++
            await terminal.write(`${subject}\t${problem}\n`)
          }
        } finally {
          progress.stop()
        }
        return findings
      })
      if (found > 0) throw new Finding(`${found} findings`)
    })
}
