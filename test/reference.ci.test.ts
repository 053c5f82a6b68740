import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unexportedTypes } from '../tools/reference/unexported.ts'

// `npm run docs` generates the reference of the library, and every type in it can be imported.

const ROOT = fileURLToPath(new URL('..', import.meta.url))

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-reference-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Texts of a folder's files by their names. */
const textsOf = (place: string) =>
  Object.fromEntries(
    readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'utf8')]),
  )

test('npm run docs makes a page for each name that is exported, and finds no type that has no name outside', () => {
  const made = join(folder, 'made')
  const words = ['run', '--silent', 'docs', '--', '--out', made]
  const { status, stderr } = spawnSync('npm', words, { cwd: ROOT, encoding: 'utf8' })
  expect(stderr).not.toContain('export it from')
  expect(status).toBe(0)
  const pages = textsOf(join(made, 'library'))
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>
  }
  const doors = Object.keys(exports).map((key) => `casemill${key.slice(1).replace('/', '.')}.md`)
  expect(Object.keys(pages).toSorted()).toEqual(['README.md', ...doors].toSorted())
  for (const name of doors) expect(pages[name]).toMatch(/^#+ \S/m)
})

test('a type that a declaration names is found, unless a door exports it or nobody sees it', () => {
  const place = join(folder, 'declarations')
  mkdirSync(place)
  const door = join(place, 'index.d.ts')
  writeFileSync(
    join(place, 'inner.d.ts'),
    `
    export interface Taken { readonly deep: Deep }
    export interface Deep { readonly text: string }
    export interface Given {}
    export interface OfParts {}
    export interface OnlyConstructed {}
    export interface Kept {}
    /** @inline */
    export type Shown<T> = { readonly [K in keyof T]: T[K] }
    export declare class Held {
      private kept
      constructor(options: OnlyConstructed)
      part(): readonly OfParts[]
    }
    export declare class Made { constructor(options: Given) }
    /** @interface */
    export type Flat = Pick<Kept, never>
    export declare function take(what: Taken, shown: Shown<Date>): Promise<Map<string, Buffer>>
    `,
  )
  writeFileSync(
    door,
    `export { Made, take } from './inner.js'\nexport type { Flat, Held, Taken } from './inner.js'\n`,
  )
  const found = unexportedTypes([door], {
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  })
  expect(found.map(({ type, by }) => `${type} by ${by}`).sort()).toEqual([
    'Deep by Taken',
    'Given by Made',
    'OfParts by Held',
  ])
})
