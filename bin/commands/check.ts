import { Command } from 'commander'
import { IssuesFound } from '../frame.ts'
import { startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { withEngine } from '../threads.ts'

/** `casemill check` */
export function checkCommand(terminal: Terminal): Command {
  return new Command('check')
    .description(
      'verify the data folder; a line per finding or note, exit status 1 if anything is wrong',
    )
    .option('--deep', 'read all bytes of stored files and compare them with their md5')
    .action(async ({ deep: isDeep = false }: { readonly deep?: boolean }, command: Command) => {
      const found = await withEngine(command, { create: false }, async (engine) => {
        const { files, bytes } = await engine.shared.files.totals()
        const releases = await engine.commons.releases.list().catch(() => [])
        const progress = startProgress(terminal, 'checking', isDeep ? bytes : 0)
        let issues = 0
        let notes = 0
        try {
          const run = { isDeep, signal: terminal.signal, onProgress: progress.advance }
          for await (const { subject, problem, isNote } of engine.check(run)) {
            if (isNote) notes++
            else issues++
            await terminal.write(`${subject}\t${problem}\n`)
          }
        } finally {
          progress.stop()
        }
        const checked = `${counted(files, 'file')} (${(bytes / 1e6).toFixed(1)} MB), ${counted(releases.length, 'release')}`
        const found = issues === 0 ? 'nothing is wrong' : counted(issues, 'finding')
        const noted = notes === 0 ? '' : `, ${counted(notes, 'note')}`
        terminal.explain(`checked ${checked}: ${found}${noted}`)
        return issues
      })
      if (found > 0) throw new IssuesFound(`${found} findings`)
    })
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
