import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { runProgram } from '../support/program.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-import-bam-'))
  mkdirSync(join(folder, 'run/deep'), { recursive: true })
  const made = { scale: 'tiny', style: 'htslib' } as const
  await makeBam({ ...made, path: join(folder, 'run/b.bam'), seed: 1 })
  await makeBam({ ...made, path: join(folder, 'run/deep/a.BAM'), seed: 2, index: 'none' })
  writeFileSync(join(folder, 'run/notes.txt'), 'no alignments\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let runs = 0
const run = (...args: readonly string[]) =>
  runProgram(['import', 'bam', ...args], { CASEMILL_DATA: join(folder, `data-${runs++}`) })
const at = (name: string) => join(folder, name)

test('one file gives its id alone', async () => {
  const { status, out, err } = await run(at('run/b.bam'), '--access', 'open')
  expect(status).toBe(0)
  expect(out.trim()).toMatch(UUID)
  expect(err).toMatch(/^b\.bam: \d+ records, md5 [0-9a-f]{32}\n$/)
})

test('controlled files of no project are told to be for administrators', async () => {
  const { status, err } = await run(at('run/b.bam'), '--access', 'controlled')
  expect(status).toBe(0)
  expect(err).toMatch(
    /^casemill: warning: b\.bam: it is controlled and no project is named: .*--project ID/,
  )
  const ofProject = await run(at('run/b.bam'), '--access', 'controlled', '--project', 'P-1')
  expect(ofProject.err).not.toContain('warning')
})

test('a folder gives the id of each file below it', async () => {
  const { status, out, err } = await run(at('run'), '--access', 'open')
  expect(status).toBe(0)
  const lines = out.trimEnd().split('\n')
  expect(lines.map((line) => line.split('\t')[1])).toEqual([at('run/b.bam'), at('run/deep/a.BAM')])
  for (const line of lines) expect(line.split('\t')[0]).toMatch(UUID)
  expect(err.trimEnd().split('\n')).toHaveLength(3)
  expect(err).toMatch(/\nstored 2 of 2 files\n$/)
})

test('what cannot be stored is named, and the others are stored', async () => {
  mkdirSync(at('mixed'))
  mkdirSync(at('empty'))
  symlinkSync(at('gone'), at('mixed/broken.bam'))
  writeFileSync(at('mixed/text.bam'), 'no alignments\n')
  const { status, out, err } = await run(
    ...[at('missing.bam'), at('mixed'), at('empty'), at('run/b.bam')],
    ...['--access', 'open'],
  )
  expect(status).toBe(1)
  expect(out).toMatch(/^[^\t\n]+\t[^\t\n]+b\.bam\n$/)
  const lines = err.trimEnd().split('\n')
  expect(lines).toEqual([
    `casemill: there is no file or folder ${JSON.stringify(at('missing.bam'))}; give the path of one that is there`,
    `casemill: there is no file or folder ${JSON.stringify(at('mixed/broken.bam'))}; give the path of one that is there`,
    `casemill: there is no .bam file in the folder ${JSON.stringify(at('empty'))}`,
    'casemill: "text.bam" is text, not BAM; give an alignment file that is sorted by coordinate',
    expect.stringMatching(/^b\.bam: /),
    'stored 1 of 5 files',
  ])
})

test('an id is for one file', async () => {
  const id = '00000000-0000-4000-8000-000000000001'
  for (const paths of [[at('run')], [at('run/b.bam'), at('run/deep/a.BAM')]]) {
    const { status, out, err } = await run(...paths, '--id', id)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(err).toContain('--id is for a single file; give one file with it')
  }
  expect(await run()).toMatchObject({ status: 2 })
})
