import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { otherNodes, verifyAudit } from '../../engine/internal.ts'
import { EngineError, generatedStream } from '../../engine/shared/index.ts'
import {
  auditFolder,
  type RecordQuery,
  readNodeName,
  readRecord,
  recordAsNdjson,
  recordAsParquet,
} from '../../engine/shared/internal.ts'
import { dataFolder } from '../data-folder.ts'
import { deliver } from '../deliver.ts'
import { IssuesFound } from '../frame.ts'
import { readStoredSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill audit verify|export`. */
export function auditCommand(terminal: Terminal): Command {
  return new Command('audit')
    .description('verify and export the record of who had which controlled data')
    .addCommand(verifyCommand(terminal))
    .addCommand(exportCommand(terminal))
}

const FOLDERS =
  'data folders of further nodes that share the PostgreSQL database, or copies of them'

function verifyCommand(terminal: Terminal): Command {
  return new Command('verify')
    .description(
      'verify the record; prints a line per finding or note, and a seal per node; exit status 1 if anything is wrong',
    )
    .argument('[folders...]', FOLDERS)
    .action(async (others: readonly string[], _options: object, command: Command) => {
      const own = dataFolder(command)
      const { stateUrl } = readStoredSettings()
      // The record is verified as it is: pending migrations are left to the service.
      const place = { dataFolder: own, stateUrl, stateMigrates: false }
      const folders = [own, ...others].map((folder) => requiredFolder(folder))
      const { issues, nodes } = await verifyAudit(place, folders)
      for (const { subject, problem, isNote } of issues) {
        await terminal.write(`${isNote ? 'note' : 'wrong'}\t${subject}\t${problem}\n`)
      }
      for (const { node, segments, lines, seal } of nodes) {
        await terminal.write(`seal\t${node}\t${segments} segments, ${lines} lines, ${seal}\n`)
      }
      const found = issues.filter(({ isNote }) => !isNote).length
      terminal.explain(found === 0 ? 'the record is intact' : `${found} findings`)
      if (found > 0) throw new IssuesFound(`${found} findings`)
    })
}

interface ExportOptions {
  readonly since?: string
  readonly until?: string
  readonly subject?: string
  readonly file?: string
  readonly case?: string
  readonly entity?: string
  readonly format: 'ndjson' | 'parquet'
  readonly output?: string
}

function exportCommand(terminal: Terminal): Command {
  return new Command('export')
    .description('write the recorded answers and commands, with all ids, to standard output')
    .argument('[folders...]', FOLDERS)
    .option('--since <time>', 'from this day (YYYY-MM-DD) or time (UTC) on')
    .option('--until <time>', 'up to this day, which is included, or before this time')
    .option('--subject <name>', 'only what this user had or did')
    .option('--file <id>', 'only answers with this file')
    .option('--case <id>', 'only answers with values of this case')
    .option('--entity <id>', 'only answers with this submitted entity')
    .addOption(
      new Option('--format <format>', 'format of the output')
        .choices(['ndjson', 'parquet'])
        .default('ndjson'),
    )
    .option('-o, --output <file>', 'write to this file')
    .action(async (others: readonly string[], options: ExportOptions, command: Command) => {
      const data = dataFolder(command)
      const { since, until, subject, file, case: caseId, entity, format, output } = options
      const query: RecordQuery = { since, until, subject, file, caseId, entity }
      const folders = [data, ...others].map((folder) => requiredFolder(folder))
      const nodes = await nodesOf(folders)
      await tellOfOthers(data, nodes, terminal)
      const events = readRecords(folders, query)
      const bytes =
        format === 'parquet'
          ? recordAsParquet(events, data, terminal.signal)
          : recordAsNdjson(events)
      await deliver(generatedStream({ rest: bytes }, { giveBack: () => {} }), output, terminal)
    })
}

/**
 * Returns the nodes of records.
 * @throws EngineError `bad_input` if two folders have the record of the same node
 */
async function nodesOf(folders: readonly string[]): Promise<readonly string[]> {
  const nodes: string[] = []
  for (const folder of folders) {
    const node = await readNodeName(folder)
    if (node === undefined) continue
    if (nodes.includes(node)) {
      const message = `two of the folders have the record of node ${node}; name each node once`
      throw new EngineError('bad_input', message)
    }
    nodes.push(node)
  }
  return nodes
}

/** Says which nodes have records that are not among the given ones. Only a PostgreSQL database has several. */
async function tellOfOthers(data: string, nodes: readonly string[], terminal: Terminal) {
  const { stateUrl } = readStoredSettings()
  if (stateUrl === undefined) return
  try {
    const place = { dataFolder: data, stateUrl, stateMigrates: false }
    for (const node of await otherNodes(place, nodes)) {
      terminal.explain(`casemill: the record of node ${node} is not included; name its data folder`)
    }
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause
    terminal.explain(
      `casemill: other nodes may have records that are not included: ${cause.message}`,
    )
  }
}

async function* readRecords(folders: readonly string[], query: RecordQuery) {
  for (const folder of folders) yield* readRecord(folder, query)
}

function requiredFolder(data: string): string {
  const folder = auditFolder(data)
  if (existsSync(folder)) return folder
  const message = `no audit record in "${data}"; it is kept while CASEMILL_AUDIT=true is set`
  throw new EngineError('not_found', message)
}
