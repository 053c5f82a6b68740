import type { Command } from 'commander'
import { beforeAll, expect, test } from 'vitest'
import { exampleLine } from './examples.ts'
import { makeProgram } from './program.ts'
import { runProgram } from './support/program.ts'
import { openTerminal } from './terminal.ts'

/** Every command with an action of its own, by its path. */
const commands = new Map<string, Command>()

beforeAll(async () => {
  const take = (command: Command, path: readonly string[]) => {
    // A command that only groups others has no action. `release` does both.
    if (command.commands.length === 0 || path.join() === 'release') {
      commands.set(path.join(' '), command)
    }
    for (const each of command.commands) take(each, [...path, each.name()])
  }
  take(await makeProgram([], openTerminal(process)), [])
})

test('every command has an example that it takes', async () => {
  expect(commands.size).toBeGreaterThan(30)
  for (const [name, command] of commands) {
    const path = name.split(' ')
    const words = argumentsOf(exampleLine(path))
    expect(words?.slice(0, path.length), name).toEqual(path)
    const given = words?.slice(path.length) ?? []
    const taken: unknown[] = []
    command.exitOverride().action((...args: readonly unknown[]) => void taken.push(args))
    // The folder is an option of the whole program.
    await command.parseAsync(
      given.filter((word) => !['--data', 'my-data'].includes(word)),
      {
        from: 'user',
      },
    )
    expect(taken, name).toHaveLength(1)
  }
})

/** Returns the arguments of an example, without the program's name. */
function argumentsOf(example: string | undefined): readonly string[] | undefined {
  const words = example?.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", ''))
  return words?.slice(1)
}

test('help ends with the example', async () => {
  const { status, out } = await runProgram(['token', 'create', '--help'])
  expect(status).toBe(0)
  expect(out.trimEnd().split('\n').slice(-2)).toEqual([
    'Example:',
    '  casemill token create --user ada --project TRIAL-ONE:read,download --data my-data',
  ])
})
