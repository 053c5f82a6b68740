import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { arraysOf } from '../release/arrays.ts'
import { Release } from '../release/release.ts'
import { toFormerForm } from '../release/support/former-form.ts'
import { evaluate } from './evaluate.ts'
import { keysOf } from './keys.ts'
import { on, queryOf } from './support/ask.ts'
import { builtRelease } from './support/built-release.ts'

const ROWS = 5000
const FILES = Array.from({ length: ROWS }, (_, i) => ({
  file_id: `${`${i}`.padStart(8, '0')}-0000-4000-8000-000000000000`,
  file_name: `${(i * 7919) % ROWS}.bam`,
  ...(i % 9 !== 0 && { file_size: (i * 31) % 4900 }),
  access: i % 3 === 0 ? 'open' : 'controlled',
}))

test('a release whose columns contain their indexes gives the same results', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-former-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const release = await builtRelease(folder, { files: FILES }, 'new')
  await cp(join(folder, 'new'), join(folder, 'old'), { recursive: true })
  const { files } = await toFormerForm(join(folder, 'old'), 2)
  const former = await Release.open(join(folder, 'old'))
  const indexes = (paths: object) => Object.keys(paths).filter((path) => /^indexes/.test(path))
  expect(indexes(release.manifest.files)).toEqual([
    'indexes/files/file_name.arrow',
    'indexes/files/file_size.arrow',
  ])
  expect(indexes(files)).toEqual([])
  for (const filters of [
    undefined,
    on('file_size', '<', 40),
    on('file_name', '=', '7.bam'),
    on('access', '=', 'open'),
  ]) {
    for (const sort of [['file_size:desc'], ['file_name'], ['file_id']]) {
      const query = queryOf('files', { filters, sort, facets: ['file_size', 'access'], size: 50 })
      const [ours, truth] = await Promise.all(
        [release, former].map(async (one) => {
          return evaluate(query, arraysOf(await one.load(keysOf(query))))
        }),
      )
      expect(ours).toEqual(truth)
      const size = (row: number) => FILES[row]?.file_size ?? -1
      const rows = [...(ours?.rows ?? [])]
      if (sort[0] === 'file_size:desc') {
        expect(rows.map(size)).toEqual(rows.map(size).toSorted((a, b) => b - a))
      }
    }
  }
  await release.close()
  await former.close()
})
