import { Command, Option } from 'commander'
import { copyState, migrateState, pendingState, type StateCopy } from '../../engine/internal.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { dataFolder } from '../data-folder.ts'
import { IssuesFound } from '../frame.ts'
import { hasData, noData } from '../has-data.ts'
import { readStoredSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill state copy|migrate`. */
export function stateCommand(terminal: Terminal): Command {
  return new Command('state')
    .description('move the state of a data folder, and bring it to the form of this version')
    .addCommand(copyCommand(terminal))
    .addCommand(migrateCommand(terminal))
}

function copyCommand(terminal: Terminal): Command {
  const command = new Command('copy')
  return command
    .description(
      'copy all state between the data folder and the database of CASEMILL_STATE_URL; the target must be empty',
    )
    .addOption(
      new Option('--to <place>', 'target, which must have no state yet')
        .choices(['database', 'folder'])
        .makeOptionMandatory(),
    )
    .action(async ({ to }: Pick<StateCopy, 'to'>) => {
      const folder = dataFolder(command)
      const tables: string[] = []
      const { left, filesInFolder, uploads } = await copyState({
        dataFolder: folder,
        stateUrl: requiredUrl(),
        to,
        signal: terminal.signal,
        onTable: (name, rows) => {
          if (rows > 0) tables.push(`${name}\t${rows}\n`)
        },
      })
      await terminal.write(tables.join(''))
      if (left.length > 0) terminal.explain(`not copied, stays in the database: ${left.join(', ')}`)
      terminal.explain(
        `state is copied. Bytes are not: ${filesInFolder} files have theirs in the folder files/, ${uploads} uploads are under way (uploads/, unless there is a bucket), and releases/ stays as it is. ${NEXT[to]}`,
      )
    })
}

const NEXT: Readonly<Record<StateCopy['to'], string>> = {
  database:
    'Serve the same folder with CASEMILL_STATE_URL from now on, or copy these three folders to where you serve',
  folder:
    'Serve the folder without CASEMILL_STATE_URL from now on; where it has not got them, copy these three folders into it',
}

function migrateCommand(terminal: Terminal): Command {
  const command = new Command('migrate')
  return command
    .description('run the pending database migrations of this version, without serving')
    .option('--check', 'only list the migrations; exit status 1 if there are any')
    .action(async ({ check: isCheck = false }: { readonly check?: boolean }) => {
      const { stateUrl } = readStoredSettings()
      const dataFolder = stateUrl === undefined ? folderWithState(command) : ''
      const place = { dataFolder, stateUrl }
      const steps = await (isCheck ? pendingState(place) : migrateState(place))
      for (const { tables, step, isAdditive } of steps) {
        const kind = isAdditive ? 'additive' : 'needs this version'
        await terminal.write(`${tables}\t${step}\t${kind}\n`)
      }
      const found = steps.length === 0 ? 'nothing is pending' : `steps pending: ${steps.length}`
      terminal.explain(isCheck ? found : `migrations run: ${steps.length}`)
      if (isCheck && steps.length > 0) throw new IssuesFound(found)
    })
}

/** Prevents that a mistyped name looks like a folder of an older version. */
function folderWithState(command: Command): string {
  const folder = dataFolder(command)
  if (hasData(folder)) return folder
  throw noData(folder)
}

function requiredUrl(): string {
  const { stateUrl } = readStoredSettings()
  if (stateUrl !== undefined) return stateUrl
  const message =
    'no database given; set CASEMILL_STATE_URL=postgresql://USER:PASSWORD@HOST:PORT/NAME'
  throw new EngineError('bad_input', message)
}
