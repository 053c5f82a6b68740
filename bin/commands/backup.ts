import { Command } from 'commander'
import { backUp } from '../../engine/internal.ts'
import { dataFolder } from '../data-folder.ts'
import { demoBytes } from '../demo-bytes.ts'
import { IssuesFound } from '../frame.ts'
import { startProgress } from '../progress.ts'
import { readStoredSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill backup`. */
export function backupCommand(terminal: Terminal): Command {
  const command = new Command('backup')
  return command
    .description(
      'copy the data folder to a new one, even while it is served; if files are missing, prints them and ends with status 1',
    )
    .argument('<folder>', 'new folder for the copy; must not exist')
    .option(
      '--previous <folder>',
      'an earlier backup on the same disk; unchanged files become hard links',
    )
    .action(async (target: string, { previous }: { readonly previous?: string }) => {
      const progress = startProgress(terminal, 'copying', 0)
      const { stateUrl, stateMigrates } = readStoredSettings()
      const { advance: onBytes, expect: onTotal } = progress
      const missing = await backUp({
        dataFolder: dataFolder(command),
        stateUrl,
        stateMigrates,
        target,
        previous,
        makeBytes: demoBytes(),
        signal: terminal.signal,
        onTotal,
        onBytes,
      }).finally(progress.stop)
      for (const { subject, problem } of missing) await terminal.write(`${subject}\t${problem}\n`)
      if (missing.length > 0) throw new IssuesFound(`${missing.length} files are missing`)
    })
}
