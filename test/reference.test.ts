import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kubernetesPages } from '../tools/kubernetes/pages.ts'
import { commandPage } from '../tools/reference/command-page.ts'
import { settingsPage } from '../tools/reference/settings-page.ts'

// Generated pages are up to date; `npm run docs` generates them again.

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

test('the objects of Kubernetes are what they are made of, and nothing lies beside them', () => {
  const folder = join(import.meta.dirname, '../docs/kubernetes')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const pages = names
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  expect(Object.fromEntries(pages)).toEqual(Object.fromEntries(kubernetesPages()))
})
