import { inspect } from 'node:util'
import { type Command, CommanderError, InvalidArgumentError, type Option } from 'commander'
import { EngineError } from '../engine/shared/index.ts'
import { explainSystemError, nearestOf } from '../engine/shared/internal.ts'
import { Interrupted, type Terminal } from './terminal.ts'

/** Exit status of all commands. */
const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Commands that can simply be repeated after an interruption. */
const RESUMING: ReadonlySet<string> = new Set([
  'serve',
  'import',
  'export',
  'get',
  'release',
  'upgrade',
  'plan',
  'shard',
  'join',
])

/** Thrown by a command that has done its work but found problems. */
export class IssuesFound extends Error {
  override readonly name = 'IssuesFound'
}

/** How a command ended. */
export type Ending = 'done' | 'failed' | 'interrupted'

/**
 * Runs the command that the arguments name and returns the exit status. Never rejects.
 * @param onEnd called when the command has ended, before anything is said about it. It must not reject
 */
export async function runProgram(
  program: Command,
  argv: readonly string[],
  terminal: Terminal,
  onEnd: (ending: Ending) => Promise<void> = async () => {},
): Promise<number> {
  settle(program, terminal)
  let advice = ''
  program.hook('preAction', (_, command) => {
    if (pathOf(command).some((name) => RESUMING.has(name))) advice = '; call it again to go on'
  })
  try {
    await program.parseAsync(argv)
    // A command that ended normally after Ctrl-C, as a server does, has succeeded. It has failed if nobody read
    // its output.
    const { aborted, reason } = terminal.signal
    const isDone = !aborted || reason instanceof Interrupted
    await onEnd(isDone ? 'done' : 'failed')
    return isDone ? DONE : report(reason, terminal, advice)
  } catch (error) {
    await onEnd(isInterruption(error, terminal) ? 'interrupted' : 'failed')
    return report(error, terminal, advice)
  }
}

/** Returns the names of a command and its parents. */
export function pathOf(command: Command | null): readonly string[] {
  return command ? [...pathOf(command.parent), command.name()] : []
}

/** Configures commands recursively, because ready-made subcommands do not inherit settings. */
function settle(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void terminal.out.write(text),
      writeErr: (text) => void terminal.err.write(text),
      outputError: (text) => terminal.explain(`casemill: ${oneLine(text.replace(/^error: /, ''))}`),
    })
  for (const option of command.options) suggestChoices(option)
  for (const each of command.commands) settle(each, terminal)
}

/** Suggests the most similar choice if the value of an option is invalid. */
function suggestChoices(option: Option): void {
  const { argChoices: choices, variadic } = option
  if (!choices) return
  option.argParser((value, before: unknown) => {
    if (choices.includes(value)) {
      if (!variadic) return value
      return Array.isArray(before) && before !== option.defaultValue ? [...before, value] : [value]
    }
    throw new InvalidArgumentError(`Use one of ${choices.join(', ')}${nearestOf(value, choices)}`)
  })
}

/**
 * Reports an error and returns the exit status.
 * @param advice what to do after an interruption, with a leading `; `
 */
function report(error: unknown, terminal: Terminal, advice: string): number {
  const { signal } = terminal
  const { reason } = signal
  if (isInterruption(error, terminal) && reason instanceof Interrupted) {
    terminal.explain(`casemill: interrupted${advice}`)
    // Ends by the signal itself, so that a calling shell script stops too.
    process.kill(process.pid, reason.by)
    return FAILED
  }
  const cause = isAbort(error, terminal) ? reason : error
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? DONE : WRONG_USAGE
  if (cause instanceof IssuesFound || codeOf(cause) === 'EPIPE') return FAILED
  const explained = explainSystemError(cause)
  terminal.explain(
    explained instanceof EngineError
      ? `casemill: ${oneLine(explained.message)}`
      : `casemill: unexpected error, please report it: ${inspect(cause)}`,
  )
  return FAILED
}

/** Returns whether an error says that the command was told to end early. */
const isAbort = (error: unknown, { signal }: Terminal): boolean =>
  signal.aborted &&
  (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))

const isInterruption = (error: unknown, terminal: Terminal): boolean =>
  isAbort(error, terminal) && terminal.signal.reason instanceof Interrupted

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}
