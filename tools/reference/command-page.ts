import type { Argument, Command, Option } from 'commander'
import { exampleLine } from '../../bin/examples.ts'
import { makeProgram } from '../../bin/program.ts'
import type { Terminal } from '../../bin/terminal.ts'
import { cell, MADE, table } from './markdown.ts'

const INTRODUCTION = `# Commands

${MADE}

In a checkout, type \`npm run -s casemill -- COMMAND\`. If you installed the package, type \`casemill COMMAND\`.
\`casemill COMMAND --help\` prints the same text as this page.

Every command takes \`--data DIR\`, the data folder, which you can also set with \`CASEMILL_DATA\`. The first command
that writes to the folder creates it.

The exit status is 0 for success, 1 if the command failed or found a problem, and 2 for a wrong command line. Results go
to standard output. Progress, messages and errors go to standard error.
`

/** Commands are described and not run: nothing is written, and nothing interrupts. */
function unusedTerminal(): Terminal {
  return {
    out: process.stdout,
    err: process.stderr,
    signal: new AbortController().signal,
    write: async () => {},
    explain: () => {},
  }
}

/** The reference of the command line, from `--help` of every command. */
export async function commandPage(): Promise<string> {
  const commands = namedCommands(await makeProgram([], unusedTerminal()))
  const rows = commands.map(([path, command]) => {
    return [`[\`${path.join(' ')}\`](#${path.join('-')})`, cell(command.description())]
  })
  const sections = commands.map(([path, command]) => section(path, command))
  return [INTRODUCTION, table(['Command', 'What it does'], rows), ...sections].join('\n')
}

type NamedCommand = readonly [path: readonly string[], command: Command]

/** Every command below another one that does something itself, by the words that name it. */
function namedCommands(parent: Command, before: readonly string[] = []): readonly NamedCommand[] {
  return parent.commands.flatMap((command) => {
    const path = [...before, command.name()]
    const below = namedCommands(command, path)
    // A group of commands has no option of its own, if that is all it is.
    return below.length > 0 && command.options.length === 0 ? below : [[path, command], ...below]
  })
}

function section(path: readonly string[], command: Command): string {
  const help = command.createHelp()
  const given = command.registeredArguments.map((argument) => [
    `\`${argumentTerm(argument)}\``,
    cell(help.argumentDescription(argument)),
  ])
  const options = help
    .visibleOptions(command)
    .filter((option: Option) => option.long !== '--help')
    .map((option) => [`\`${help.optionTerm(option)}\``, cell(help.optionDescription(option))])
  const rows = [...given, ...options]
  return [
    `## ${path.join(' ')}\n`,
    `${sentence(command.description())}\n`,
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\`\n`,
    ...(rows.length > 0 ? [table(['Argument or option', 'Meaning'], rows)] : []),
    `\`\`\`sh\n${exampleLine(path) ?? ''}\n\`\`\`\n`,
  ].join('\n')
}

function argumentTerm(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
