import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  DEMO_CONVERSION_RULES,
  DEMO_DICTIONARY,
  DEMO_REGISTRY_FILE,
} from '../../fixtures/naaccr/items.ts'
import { runProgram } from '../support/program.ts'

// Like `registry`, commands for registry files accept several files. A file that fails does not stop the others.

let folder = ''
let out = ''
const at = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-several-files-'))
  await writeFile(at('dictionary.xml'), DEMO_DICTIONARY)
  await writeFile(at('rules.txt'), DEMO_CONVERSION_RULES)
  await writeFile(at('one.xml'), DEMO_REGISTRY_FILE)
  await writeFile(at('two.xml'), DEMO_REGISTRY_FILE)
  await writeFile(at('broken.xml'), 'no XML')
  const words = ['import', 'naaccr', at('dictionary.xml'), '--data', at('data')]
  expect(await runProgram(words)).toMatchObject({ status: 0 })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each([
  ['convert', 'xml', ['--rules', 'rules.txt'], '  values changed: 2\n'],
  ['edits', 'ndjson', [], '  edits not passed: '],
] as const)('%s', (command, extension, options, sum) => {
  const run = (...names: readonly string[]) => {
    const given = options.map((one) => (one.startsWith('--') ? one : at(one)))
    const words = [command, ...names.map(at), ...given, '--data', at('data')]
    return runProgram(out === '' ? words : [...words, '-o', out])
  }

  test('writes the results of each into a folder, and ends with the sums', async () => {
    out = ''
    const [one, two] = [await run('one.xml'), await run('two.xml')]
    expect(one.out).not.toBe('')
    out = at(`${command}-results`)
    const { status, err } = await run('one.xml', 'broken.xml', 'two.xml')
    expect(status).toBe(1)
    expect((await readdir(out)).toSorted()).toEqual([`one.${extension}`, `two.${extension}`])
    const written = await Promise.all(
      ['one', 'two'].map((name) => readFile(join(out, `${name}.${extension}`), 'utf8')),
    )
    expect(written).toEqual([one.out, two.out])
    expect(err).toContain('broken.xml: ')
    expect(err).toContain('casemill: all 2 files: 4 patients with 4 tumors\n')
    expect(err).toContain(sum)
  })

  test('needs a folder for several, and names that differ', async () => {
    out = ''
    const without = await run('one.xml', 'two.xml')
    expect([without.status === 0, without.err]).toEqual([
      ...[false, expect.stringContaining('there are 2 files; give a folder for their results')],
    ])
    out = at('same')
    const same = await run('one.xml', 'one.xml')
    expect([same.status === 0, same.err]).toEqual([
      ...[false, expect.stringContaining('two files would be written to')],
    ])
  })
})
