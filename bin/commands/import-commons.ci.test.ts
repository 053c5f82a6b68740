import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedState } from '../../engine/internal.ts'
import { GeneModel } from '../../engine/shared/internal.ts'
import { runProgram } from '../support/program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-import-commons-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: readonly string[]) =>
  runProgram(['import', 'commons', ...args], { CASEMILL_DATA: join(folder, 'data') })

function give(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('import commons makes a release, reports it and keeps its genes for slicing', async () => {
  const files = give('files.json', [{ file_id: 'f1', cases: [{ case_id: 'c1' }] }])
  const genes = give(
    'genes.tsv',
    'gene_id\tsymbol\tchromosome\tstart\tend\nG1\tTP53\tchr17\t7\t9\n',
  )
  const dry = await run('--dry-run', '--json', files, genes)
  expect(dry).toMatchObject({ status: 0, err: '' })
  expect(JSON.parse(dry.out)).toMatchObject({ dataRelease: 'Data Release 1.0' })

  const made = await run('--release', '7.0', files, genes)
  expect(made).toMatchObject({ status: 0, err: '' })
  expect(made.out.split('\n')).toEqual([
    `${files}: JSON, 1 rows: 1 files`,
    `${genes}: table of genes, 1 rows: 1 genes`,
    '',
    'Data Release 7.0:',
    '  cases: 1',
    '    1 are named but not described: c1',
    '  files: 1',
    '  genes: 1',
    '  1 cases have no project',
    '',
  ])
  const state = sharedState({ dataFolder: join(folder, 'data') })
  const found = await new GeneModel(state).bySymbols(['TP53'])
  expect(found.get('TP53')).toMatchObject([{ chromosome: '17', start: 7 }])
  await state.close()
})

test('an error is one line and a status', async () => {
  expect(await run(give('x.md', '# text'))).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringMatching(
      /^casemill: nothing can be taken from "[^\n]+x\.md": it is [^\n]+\n$/,
    ),
  })
  expect(await run('--as', 'donors', 'x')).toMatchObject({ status: 2 })
  expect(await run('--max-errors', 'many', 'x')).toMatchObject({ status: 2 })
  expect(await run()).toMatchObject({ status: 2 })
})
