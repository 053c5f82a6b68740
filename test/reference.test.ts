import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandPage } from '../tools/reference/command-page.ts'
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
