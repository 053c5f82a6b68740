import { Command } from 'commander'
import { upgradeRelease } from '../../engine/commons/index.ts'
import { dataFolder } from '../data-folder.ts'
import { makeShared } from '../shared-releases.ts'
import { drawSteps } from '../steps.ts'
import { readStoredSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

/** Command `casemill upgrade`. */
export function upgradeCommand(terminal: Terminal): Command {
  const command = new Command('upgrade')
  return command
    .description('convert the current release of an older casemill to the current format')
    .action(async () => {
      const bars = drawSteps(terminal)
      const { id, from } = await makeShared(terminal, command, {}, (making) =>
        withThreads((executor) =>
          upgradeRelease({
            ...making,
            dataFolder: dataFolder(command),
            reserveBytes: readStoredSettings().reserveBytes,
            executor,
            signal: terminal.signal,
            onProgress: bars.show,
          }),
        ),
      ).finally(() => bars.stop())
      await terminal.write(
        from === undefined
          ? `release ${id} is up to date\n`
          : `release ${id} is served in place of ${from}, which may be removed from releases/ when nobody reads it\n`,
      )
    })
}
