import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { Command } from 'commander'
import pkg from '../package.json' with { type: 'json' }
import { dataOption } from './data-option.ts'
import { addExamples } from './examples.ts'
import { type Ending, pathOf, runProgram } from './frame.ts'
import { makeFilesPrivate } from './private-files.ts'
import { openTerminal, type Surroundings, type Terminal } from './terminal.ts'

/** @param below name of the subcommand, if the arguments name one */
type MakeCommand = (terminal: Terminal, below?: string) => Promise<Command>

// Commands by name. A new command needs a file in commands/ and a line here. Each is loaded on demand, because
// loading all takes half a second.
const COMMANDS: Readonly<Record<string, MakeCommand>> = {
  serve: async (terminal) => (await import('./commands/serve.ts')).serveCommand(terminal),
  work: async (terminal) => (await import('./commands/work.ts')).workCommand(terminal),
  import: async (terminal, below) =>
    (await import('./commands/import.ts')).importCommand(terminal, below),
  export: async (terminal) => (await import('./commands/export.ts')).exportCommand(terminal),
  release: async (terminal) => (await import('./commands/release.ts')).releaseCommand(terminal),
  upgrade: async (terminal) => (await import('./commands/upgrade.ts')).upgradeCommand(terminal),
  slice: async (terminal) => (await import('./commands/slice.ts')).sliceCommand(terminal),
  stage: async (terminal) => (await import('./commands/stage.ts')).stageCommand(terminal),
  staging: async (terminal) => (await import('./commands/staging.ts')).stagingCommand(terminal),
  mph: async (terminal) => (await import('./commands/mph.ts')).mphCommand(terminal),
  registry: async (terminal) => (await import('./commands/registry.ts')).registryCommand(terminal),
  edits: async (terminal) => (await import('./commands/edits.ts')).editsCommand(terminal),
  convert: async (terminal) => (await import('./commands/convert.ts')).convertCommand(terminal),
  recode: async (terminal) => (await import('./commands/recode.ts')).recodeCommand(terminal),
  plan: async (terminal) => (await import('./commands/plan.ts')).planCommand(terminal),
  shard: async (terminal) => (await import('./commands/shard.ts')).shardCommand(terminal),
  join: async (terminal) => (await import('./commands/join.ts')).joinCommand(terminal),
  get: async (terminal) => (await import('./commands/get.ts')).getCommand(terminal),
  login: async (terminal) => (await import('./commands/login.ts')).loginCommand(terminal),
  backup: async (terminal) => (await import('./commands/backup.ts')).backupCommand(terminal),
  check: async (terminal) => (await import('./commands/check.ts')).checkCommand(terminal),
  state: async (terminal) => (await import('./commands/state.ts')).stateCommand(terminal),
  project: async (terminal) => (await import('./commands/project.ts')).projectCommand(terminal),
  audit: async (terminal) => (await import('./commands/audit.ts')).auditCommand(terminal),
  token: async (terminal) => (await import('./commands/token.ts')).tokenCommand(terminal),
  access: async (terminal) => (await import('./commands/access.ts')).accessCommand(terminal),
  key: async (terminal) => (await import('./commands/key.ts')).keyCommand(terminal),
  notification: async (terminal) =>
    (await import('./commands/notification.ts')).notificationCommand(terminal),
}

/** Commands that only write to given paths, with the user's umask. */
const OUTSIDE: readonly string[] = [
  'export',
  'get',
  'login',
  'slice',
  'stage',
  'mph',
  'recode',
  'registry',
  'edits',
  'convert',
]
/** Commands with their own `--version`, for the version of an algorithm. */
const VERSIONED: readonly string[] = ['export', 'stage', 'staging', 'recode', 'registry']

/** Runs the command in the arguments of a process and returns its exit status. Call it once per process. */
export async function runCasemill(process: Surroundings): Promise<number> {
  // Compiling TypeScript takes most of the start of a checkout. A package contains JavaScript.
  if (import.meta.filename.endsWith('.ts')) keepCompiled()
  const terminal = openTerminal(process)
  const program = await makeProgram(process.argv.slice(2), terminal)
  let recordEnd: ((ending: Ending) => Promise<void>) | undefined
  program.hook('preAction', async (_, command) => {
    if (OUTSIDE.includes(pathOf(command)[1] ?? '')) return
    const { readAudit, readGroupRead } = await import('./stored-settings.ts')
    makeFilesPrivate(readGroupRead())
    if (readAudit() === undefined) return
    const { recordCommand } = await import('./audited.ts')
    recordEnd = await recordCommand(command, terminal)
  })
  if (!VERSIONED.some((name) => process.argv.includes(name))) program.version(pkg.version)
  return runProgram(program, process.argv, terminal, async (ending) => recordEnd?.(ending))
}

/** Caches compiled sources for the next start. Threads and other processes read the environment variable. */
function keepCompiled(): void {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
  enableCompileCache()
}

/** Builds the program with the command in the arguments. If they name no command, it has all commands. */
export async function makeProgram(args: readonly string[], terminal: Terminal): Promise<Command> {
  const program = new Command('casemill').description(pkg.description).addOption(dataOption())
  const [name, below] = operandsIn(args)
  for (const make of namedCommands(name)) program.addCommand(await make(terminal, below))
  addExamples(program)
  return program
}

/** Returns the named command. If none is named, returns all, because help lists them. */
function namedCommands(name: string | undefined): readonly MakeCommand[] {
  const named = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return named ? [named] : Object.values(COMMANDS)
}

/** Returns the arguments that are not options. `--data` consumes the next argument. */
function operandsIn(args: readonly string[]): readonly string[] {
  return args.filter((arg, i) => !arg.startsWith('-') && args[i - 1] !== '--data')
}
