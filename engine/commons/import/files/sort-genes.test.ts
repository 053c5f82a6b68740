import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linking } from '../../../../test/commons/contract/support/cell-files.ts'
import { inlineExecutor } from '../../../shared/executor.ts'
import { sortGenes } from './sort-genes.ts'

test('a matrix that cannot be read says why, since it is stored all the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-sort-'))
  try {
    const path = join(folder, 'a.h5ad')
    await writeFile(path, await linking('elsewhere'))
    const workplace = {
      partPath: (name = 'bytes') => join(folder, name),
      finish: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }
    const sorted = await sortGenes(path, workplace, { executor: inlineExecutor })
    expect(sorted).toEqual({
      genes: undefined,
      unsorted: expect.stringContaining('no matrix in a supported layout'),
      unread: [],
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})
