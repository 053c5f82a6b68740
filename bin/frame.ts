import { inspect } from 'node:util'
import { type Command, CommanderError, InvalidArgumentError, type Option } from 'commander'
import { EngineError } from '../engine/shared/index.ts'
import { explainSystemError, nearestOf } from '../engine/shared/internal.ts'
import { Interrupted, type Terminal } from './terminal.ts'

/** Exit statuses of all commands. */
const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Commands that keep what they have done, or change nothing before they are done. */
const RESUMING: ReadonlySet<string> = new Set([
  ...['serve', 'import', 'export', 'get', 'release', 'upgrade'],
  ...['plan', 'shard', 'join'],
])

/** Thrown by a command that did its work and reported what it found, when that is a reason to worry. */
export class IssuesFound extends Error {
  override readonly name = 'IssuesFound'
}

/** Runs the command that the arguments name and returns the exit status. It never rejects. */
export async function runProgram(
  program: Command,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  settle(program, terminal)
  let advice = ''
  program.hook('preAction', (_, command) => {
    if (pathOf(command).some((name) => RESUMING.has(name))) advice = '; call it again to go on'
  })
  try {
    await program.parseAsync(argv)
    // A command that ended well after Ctrl-C, as a server does, is done; one whose output was not
    // taken is not.
    const { reason } = terminal.signal
    return terminal.signal.aborted && !(reason instanceof Interrupted)
      ? report(reason, terminal, advice)
      : DONE
  } catch (error) {
    return report(error, terminal, advice)
  }
}

/** The names of a command and of those that it belongs to. */
export function pathOf(command: Command | null): readonly string[] {
  return command ? [...pathOf(command.parent), command.name()] : []
}

/** Settings are not inherited by commands that were added ready-made. */
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

/** A value that is not among the choices of an option is told with the one that was meant. */
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

/** @param advice what to do when the command was interrupted, with its `; ` */
function report(error: unknown, terminal: Terminal, advice: string): number {
  const { signal } = terminal
  const { reason } = signal
  const isAbort = error === reason || (error instanceof Error && error.name === 'AbortError')
  if (signal.aborted && isAbort && reason instanceof Interrupted) {
    terminal.explain(`casemill: interrupted${advice}`)
    // Ending by the signal itself is what makes a shell script stop too.
    process.kill(process.pid, reason.by)
    return FAILED
  }
  const cause = signal.aborted && isAbort ? reason : error
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}
