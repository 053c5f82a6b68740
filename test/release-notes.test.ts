import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import PACKAGE from '../package.json' with { type: 'json' }
import { releaseNotes, sectionsOf } from '../tools/release-notes.ts'

// The parts of a release agree: tag, package, changelog, workflows.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CHANGELOG = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')

/** Lines of all workflows that name an action to run. */
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows')).flatMap((name) =>
  readFileSync(join(ROOT, '.github/workflows', name), 'utf8').split('\n'),
)

const MADE = `# Changelog

## [Unreleased]

## [1.1.0] - 2026-02-03

### Added

- A thing.

## [1.0.0] - 2026-01-02

- The first.
`

test('the notes of a release are its section alone', () => {
  expect(releaseNotes('v1.1.0', '1.1.0', MADE)).toBe('### Added\n\n- A thing.')
  expect(releaseNotes('v1.0.0', '1.0.0', MADE)).toBe('- The first.')
})

test.each([
  ['a tag that is not the version of the package', 'v1.0.0', '1.1.0', MADE],
  ['a tag without its letter', '1.1.0', '1.1.0', MADE],
  ['a version without a section', 'v1.2.0', '1.2.0', MADE],
  ['a section without a date', 'v1.1.0', '1.1.0', MADE.replace(' - 2026-02-03', '')],
  ['a section without a line', 'v1.1.0', '1.1.0', MADE.replace('### Added\n\n- A thing.\n', '')],
  ['lines that no version has', 'v1.1.0', '1.1.0', MADE.replace(']\n', ']\n\n- More.\n')],
  ['a heading of another form', 'v1.1.0', '1.1.0', MADE.replace('[1.0.0]', '1.0.0')],
])('%s is refused', (_what, tag, version, changelog) => {
  expect(() => releaseNotes(tag, version, changelog)).toThrow(/tag|CHANGELOG/)
})

test('the changelog begins with what is not released, and has the version of the package', () => {
  const [first, ...versions] = sectionsOf(CHANGELOG)
  expect(first?.name).toBe('Unreleased')
  expect(versions.map(({ name }) => name)).toContain(PACKAGE.version)
  // Only the newest version may be without a date.
  expect(versions.slice(1).filter(({ date }) => date === undefined)).toEqual([])
})

test('workflows take actions by digest, with the version beside it', () => {
  const uses = WORKFLOWS.filter((line) => /\buses:/.test(line))
  expect(uses.length).toBeGreaterThan(4)
  const isPinned = (line: string) =>
    /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)
  expect(uses.filter((line) => !isPinned(line))).toEqual([])
})

test('workflows run scripts and tests that are there', () => {
  const scripts = WORKFLOWS.join('\n').matchAll(/npm run (?:--silent )?([a-z-]+)/g)
  const named = [...scripts].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((name) => !Object.hasOwn(PACKAGE.scripts, name))).toEqual([])
  const files = [...WORKFLOWS.join('\n').matchAll(/test\/[\w.-]+\.ts/g)].map(([path]) => path)
  expect(files.filter((path) => !readdirSync(join(ROOT, 'test')).includes(path.slice(5)))).toEqual(
    [],
  )
})
