import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXAMPLES, namedCommands } from '../bin/examples.ts'
import { makeProgram } from '../bin/program.ts'
import { commandPage, unusedTerminal } from '../tools/reference/command-page.ts'
import { settingsPage } from '../tools/reference/settings-page.ts'

// Pages that are made from the program are what it makes now; `npm run docs` makes them anew.

const page = (name: string) =>
  readFileSync(join(import.meta.dirname, '../docs/reference', name), 'utf8')

test('the page of commands is what the program says', async () => {
  expect(page('cli.md')).toBe(await commandPage())
})

test('the page of settings is what the schema says, and every setting has a meaning', () => {
  expect(page('settings.md')).toBe(settingsPage())
  const rows = page('settings.md').match(/^\| `CASEMILL_\w+` \| \w.* \|$/gm)
  expect(rows).toHaveLength(page('settings.md').match(/^\| `/gm)?.length ?? 0)
})

const examples = Object.entries(EXAMPLES).flatMap(([words, lines]) =>
  lines.map((line) => ({ words, line })),
)

test('every command has an example, and help shows it', async () => {
  const program = await makeProgram(unusedTerminal())
  const commands = namedCommands(program)
  expect(commands.map(([words]) => words).sort()).toEqual(Object.keys(EXAMPLES).sort())
  for (const [words, command] of commands) {
    const shown: string[] = []
    command.configureOutput({ writeOut: (text) => void shown.push(text) })
    command.outputHelp()
    for (const line of EXAMPLES[words] ?? []) expect(shown.join('')).toContain(`\n  ${line}\n`)
  }
})

test.each(examples)('$line is accepted', async ({ words, line }) => {
  const program = await makeProgram(unusedTerminal())
  const ran: string[] = []
  for (const [name, command] of namedCommands(program)) {
    command.exitOverride().configureOutput({ writeErr: () => {} })
    command.action(() => void ran.push(name))
  }
  // As a shell takes words apart that have no other quotes.
  const [, ...given] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )
  await program.exitOverride().parseAsync(given, { from: 'user' })
  expect(ran).toEqual([words])
})
