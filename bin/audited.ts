import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { withAuditRecord } from '../engine/internal.ts'
import { type Ending, pathOf } from './frame.ts'
import { readAudit, readStoredSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'

/** Commands of operators that change who may have what, or what there is. Subcommands that only read are not. */
const RECORDED = /^(token|key|access|import|project) |^(release|upgrade)\b/
const READING = /^(\w+ (list|show)|project files)$/

/** Maximum length of a parameter in the record. */
const MAX_CHARACTERS = 1000

/**
 * Records a command of an operator before it runs, if the record is kept and the command changes something.
 * @returns records how the command ended, and says so if that cannot be written; undefined without a line
 * @throws EngineError `unavailable` if the line cannot be made durable; then the command must not run
 */
export async function recordCommand(
  command: Command,
  terminal: Pick<Terminal, 'explain'>,
): Promise<((ending: Ending) => Promise<void>) | undefined> {
  const name = pathOf(command).slice(1).join(' ')
  if (!RECORDED.test(name) || READING.test(name) || readAudit() === undefined) return undefined
  const { data: dataFolder, dryRun } = command.optsWithGlobals<{ data?: string; dryRun?: true }>()
  if (!dataFolder || dryRun) return undefined
  const { stateUrl, stateMigrates } = readStoredSettings()
  const line = {
    action: `casemill ${name}`,
    subject: userInfo().username,
    run: randomUUID(),
    parameters: parametersOf(command),
  }
  // The record is not held open, because a command may run for hours and changes the same database.
  const write = (outcome: 'started' | Ending) =>
    withAuditRecord({ dataFolder, stateUrl, stateMigrates }, (record) =>
      record.command({ ...line, outcome }),
    )
  await write('started')
  return (ending) =>
    write(ending).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      terminal.explain(`casemill: how the command ended is not in the audit record: ${why}`)
    })
}

/** Returns the arguments and options as given, without secrets. */
function parametersOf(command: Command): Readonly<Record<string, string>> {
  const { data: _, ...options } = command.optsWithGlobals<Record<string, unknown>>()
  const all = { ...(command.args.length > 0 && { arguments: command.args }), ...options }
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, textOf(value)]),
  )
}

/** Name and password, and the query, of an address: links to object storage are signed in the query. */
const OF_ADDRESS = /(\w:\/\/)(?:[^\s/@]*@)?([^\s?]*)(\?\S*)?/g
/** A secret that somebody gave instead of its id: a token, session or key, or a JWT. */
const SECRET = /\b((?:cm[sp]_)?[0-9a-f]{16})_[\w-]{43}(?![\w-])/g
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g

const textOf = (value: unknown) =>
  [value]
    .flat()
    .map(String)
    .join(' ')
    .replace(OF_ADDRESS, (_, scheme, place, query) => `${scheme}${place}${query ? '?...' : ''}`)
    .replace(SECRET, '$1_...')
    .replace(JWT, 'eyJ...')
    .slice(0, MAX_CHARACTERS)
