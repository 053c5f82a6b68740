import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CONTENT, OF } from '../../engine/registry/staging/store/support/made-staging.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { madeZip } from '../../fixtures/made-zip.ts'
import { makeProgram } from '../program.ts'
import { runProgram } from '../support/program.ts'

/** Returns a folder for sources, and a data folder beside it that does not exist yet. */
function places() {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-import-options-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  return {
    data,
    at: (name: string) => join(folder, name),
    run: (...args: readonly string[]) => runProgram(['import', ...args], { CASEMILL_DATA: data }),
    reportIn: (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')),
  }
}

test('every import has a dry run, a strict one, and a report', async () => {
  const program = await makeProgram(['import'], {
    out: process.stdout,
    err: process.stderr,
    signal: new AbortController().signal,
    write: async () => {},
    explain: () => {},
  })
  const imports = program.commands.find((command) => command.name() === 'import')?.commands ?? []
  expect(imports.length).toBeGreaterThan(15)
  for (const command of imports) {
    const names = command.options.map(({ long }) => long)
    const wanted = ['--dry-run', '--strict', '--report', '--json']
    expect(names, command.name()).toEqual(expect.arrayContaining(wanted))
  }
})

test('genes are counted by column, and a dry run makes nothing', async () => {
  const { data, at, run, reportIn } = places()
  writeFileSync(
    at('genes.tsv'),
    'gene_id\tsymbol\tbiotype\tchromosome\tstart\tend\tstrand\n' +
      'ENSG00000141510\tTP53\tprotein_coding\tchr17\t7661779\t7687550\t-1\n' +
      'ENSG00000133703\tKRAS\tNA\tchr12\t2.52e+07\t25250929.0\t-\n',
  )
  const given = ['genes', at('genes.tsv'), '--strict', '--report', at('report.json')]
  const dry = await run(...given, '--dry-run')
  expect(dry).toMatchObject({ status: 0, err: '' })
  expect(dry.out.split('\n')).toEqual([
    '2 genes from genes.tsv',
    '  column start: 2 taken, 0 empty, 1 written as a whole number',
    '  column end: 2 taken, 0 empty, 1 written as a whole number',
    '  column strand: 2 taken, 0 empty, 1 written as 1 or -1',
    '',
  ])
  expect(existsSync(data)).toBe(false)
  const report = reportIn('report.json')
  expect(report).toMatchObject({ source: 'genes.tsv', dryRun: true, genes: 2 })
  const counts = report.columns.map(({ name, taken, empty }: Record<string, unknown>) => {
    return [name, taken, empty]
  })
  expect(counts).toContainEqual(['biotype', 1, 1])
  const { out } = await run(...given, '--json')
  expect(JSON.parse(out)).toEqual({ ...report, dryRun: false })
  expect(existsSync(data)).toBe(true)
})

const ID = '4e9a2c1d-7b53-4a0e-8f46-0123456789ab'
const md5 = createHash('md5').update('twelve bytes').digest('hex')

test('a dry run of files says what an import stores, and stores nothing', async () => {
  const { data, at, run, reportIn } = places()
  mkdirSync(at('from'))
  writeFileSync(at('from/a.txt'), 'twelve bytes')
  const rows = [
    ['id', 'filename', 'md5', 'size'],
    [ID, 'a.txt', md5.toUpperCase(), '1.2e+01'],
    [ID.replace('4', '5'), 'b.txt', md5, '12'],
    [ID.replace('4', '6'), 'c.txt', md5, 'abc'],
  ]
  writeFileSync(at('manifest.txt'), rows.map((cells) => `${cells.join('\t')}\n`).join(''))
  const given = ['files', '--manifest', at('manifest.txt'), '--from', at('from')]
  const dry = await run(...given, '--dry-run', '--report', at('report.json'))
  expect(dry.status).toBe(1)
  expect(dry.err).toContain('would store 1 files (0.0 MB), 0 were already stored\n')
  expect(existsSync(data)).toBe(false)
  const report = reportIn('report.json')
  expect(report).toMatchObject({
    dryRun: true,
    stored: 1,
    known: 0,
    storedBytes: 12,
    issues: 2,
    notStored: [
      { subject: ID.replace('4', '6'), problem: expect.stringContaining('size "abc" is no') },
      { subject: ID.replace('4', '5') },
    ],
  })
  expect(report.columns).toMatchObject([
    { name: 'id', taken: 3, misunderstood: 0 },
    { name: 'filename', taken: 3, misunderstood: 0 },
    { name: 'md5', taken: 3, changed: [{ name: 'written in lower case', count: 1 }] },
    {
      name: 'size',
      taken: 2,
      changed: [{ name: 'written as a whole number', count: 1 }],
      misunderstood: 1,
      examples: [{ line: 4, cell: 'abc' }],
    },
  ])
  const strict = await run(...given, '--strict')
  expect(strict).toMatchObject({ status: 1, out: '' })
  expect(strict.err).toContain('manifest line 4: size "abc" is no whole number of bytes')
  expect(existsSync(join(data, 'files', ID))).toBe(false)
  const { out } = await run(...given, '--json')
  expect(JSON.parse(out)).toEqual({ ...report, dryRun: false })
  expect(readFileSync(join(data, 'files', ID, 'a.txt'), 'utf8')).toBe('twelve bytes')
  const again = await run(...given, '--dry-run', '--json')
  expect(JSON.parse(again.out)).toMatchObject({ stored: 0, known: 1 })
})

test('a dry run of a BAM file gives the id that it would have', async () => {
  const { data, at, run, reportIn } = places()
  await makeBam({ scale: 'tiny', style: 'htslib', path: at('a.bam'), seed: 1 })
  const dry = await run('bam', at('a.bam'), '--access', 'open', '--dry-run')
  expect(dry.status).toBe(0)
  expect(existsSync(data)).toBe(false)
  const args = ['bam', at('a.bam'), '--access', 'open', '--report', at('report.json')]
  const { out } = await run(...args)
  expect(out).toBe(dry.out)
  expect(reportIn('report.json')).toMatchObject({
    dryRun: false,
    notStored: [],
    stored: [{ path: at('a.bam'), id: out.trim(), known: false, warnings: [] }],
  })
})

test('a BAM file with a warning is stored, but not under --strict', async () => {
  const { data, at, run } = places()
  await makeBam({ scale: 'tiny', style: 'htslib', path: at('a.bam'), seed: 1 })
  writeFileSync(at('a.bam.bai'), 'no index')
  const strict = await run('bam', at('a.bam'), '--access', 'open', '--strict', '--json')
  expect(strict.status).toBe(1)
  const { stored, notStored } = JSON.parse(strict.out)
  expect(stored).toEqual([])
  expect(notStored).toEqual([expect.stringMatching(/^"a\.bam" is not stored because of its/)])
  const usual = await run('bam', at('a.bam'), '--access', 'open')
  expect(usual.status).toBe(0)
  expect(usual.err).toContain('casemill: warning: a.bam: ')
  expect(existsSync(join(data, 'files', usual.out.trim(), 'a.bam'))).toBe(true)
})

test('archives of staging before one that fails are reported', async () => {
  const { at, run, reportIn } = places()
  const entries = ([id, member]: readonly [string, object], folder: string) => ({
    name: `${folder}/${id}.json`,
    content: JSON.stringify({ ...member, ...OF, last_modified: '2015-05-27T16:19:17.438Z' }),
  })
  const archive = madeZip([
    ...[...CONTENT.schemas].map((schema) => entries(schema, 'schemas')),
    ...[...CONTENT.tables].map((table) => entries(table, 'tables')),
  ])
  writeFileSync(at('one.zip'), archive)
  writeFileSync(at('two.zip'), 'no archive')
  const made = await run('staging', at('one.zip'), at('two.zip'), '--report', at('report.json'))
  expect(made.status).toBe(1)
  expect(made.err).toContain('two.zip')
  expect(made.out).toContain('schemas\t1 added')
  expect(reportIn('report.json')).toMatchObject([{ ...OF, isNew: true }])
})
