import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Issue } from '../../shared/issue.ts'
import type { DatasetName } from '../datasets/define.ts'
import { builtRelease } from '../query/support/built-release.ts'
import type { Json } from '../query/support/memory-release.ts'
import { mutatedCommons, naivePairs } from '../query/support/mutated-commons.ts'
import { Dice } from '../query/support/random-commons.ts'
import { arraysOf } from './arrays.ts'
import { levelKey, linkKey, type ReleaseManifest } from './layout.ts'
import { MANIFEST_NAME, manifestText } from './manifest.ts'
import { Release } from './release.ts'
import { verifyRelease } from './verify.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-associations-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function issuesOf(id: string) {
  const issues: Issue[] = []
  for await (const issue of verifyRelease(join(folder, id))) issues.push(issue)
  return issues
}

type Given = Partial<Record<DatasetName, readonly Json[]>>

const KEYS = [
  ...['case', 'gene', 'ssm.occurrence', 'ssm.effect', 'cnv.occurrence'].map((at) =>
    linkKey('case_genes', at),
  ),
  ...[levelKey('case_genes', 'ssm'), levelKey('case_genes', 'cnv')],
  levelKey('gene_effects', 'consequence'),
]

/** Ids by row. */
const idsOf = (documents: readonly Json[], field: string) =>
  documents.map((one) => String(one[field])).sort()

test('pairs are those that some occurrence makes, with all of its effects on the gene', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const dice = new Dice(seed)
    const documents = mutatedCommons(dice, 3 + dice.below(30))
    const release = await builtRelease(folder, documents, `pairs-${seed}`)
    const arrays = arraysOf(await release.load(KEYS))
    const cases = idsOf(documents.cases, 'case_id')
    const genes = idsOf(documents.genes, 'gene_id')
    const pairs = Array.from({ length: arrays.rows('case_genes') }, (_, pair) => ({
      case: cases[(arrays.link('case_genes', 'case')?.targets[pair] ?? 0) - 1],
      gene: genes[(arrays.link('case_genes', 'gene')?.targets[pair] ?? 0) - 1],
      ssm: membersOf('ssm', pair),
      cnv: membersOf('cnv', pair),
    }))
    function membersOf(level: 'ssm' | 'cnv', pair: number) {
      const { offsets } = arrays.level('case_genes', level) ?? {}
      const occurrences = arrays.link('case_genes', `${level}.occurrence`)?.targets
      const ids = idsOf(documents[`${level}_occurrences`], `${level}_occurrence_id`)
      const own = occurrences?.slice(offsets?.[pair], offsets?.[pair + 1]) ?? []
      const named = Array.from(own, (target) => ids[target - 1])
      // An occurrence is listed once for each of its runs.
      return level === 'ssm' ? [...new Set(named)] : named
    }
    const naive = naivePairs(documents).map((pair) => ({
      case: pair.case.case_id,
      gene: pair.gene.gene_id,
      ssm: pair.ssm.map(({ ssm_occurrence_id: id }) => id).sort(),
      cnv: pair.cnv.map(({ cnv_occurrence_id: id }) => id).sort(),
    }))
    expect({ seed, pairs }).toEqual({ seed, pairs: naive })
    await release.close()
  }
})

test('runs number all consequences as the mutations themselves do', async () => {
  const documents = mutatedCommons(new Dice(3), 20)
  const release = await builtRelease(folder, documents, 'runs')
  const levels = [levelKey('gene_effects', 'consequence'), levelKey('ssms', 'consequence')]
  const arrays = arraysOf(await release.load(levels))
  const runs = arrays.level('gene_effects', 'consequence')
  const own = arrays.level('ssms', 'consequence')
  expect(runs?.parents).toHaveLength(own?.parents.length ?? -1)
  // Genes by consequence. A gene without a record counts as none.
  const known = new Set(documents.genes.map((gene) => gene.gene_id))
  const geneOf = (one: Json) => {
    const id = (one.transcript as { gene: { gene_id?: string } }).gene.gene_id
    return known.has(id) ? id : undefined
  }
  const bySsm = documents.ssms.toSorted((a, b) => (String(a.ssm_id) < String(b.ssm_id) ? -1 : 1))
  const effects = bySsm.flatMap((ssm) => {
    const list = (ssm.consequence ?? []) as readonly Json[]
    return list.map((one, i) => ({
      starts: i === 0 || geneOf(one) !== geneOf(list[i - 1] as Json),
    }))
  })
  let run = -1
  const expected = effects.map(({ starts }) => (starts ? ++run : run))
  expect(Array.from(runs?.parents ?? [])).toEqual(expected)
  expect(arrays.rows('gene_effects')).toBe(run + 1)
  await release.close()
})

test.each<[string, (documents: ReturnType<typeof mutatedCommons>) => Given, number]>([
  ['genes', ({ genes: _, ...rest }) => rest, 1],
  ['cases', ({ cases: _, ...rest }) => rest, 0],
  ['mutations of either kind', ({ projects, cases, genes }) => ({ projects, cases, genes }), 0],
  ['simple mutations', ({ ssms: _, ...rest }) => rest, 1],
  ['copy-number changes', ({ cnv_occurrences: _, ...rest }) => rest, 1],
  ['anything', () => ({}), 0],
])('a release without %s has the pairs that are left', async (what, leave, least) => {
  const documents = mutatedCommons(new Dice(5), 20)
  const given = leave(documents)
  const release = await builtRelease(folder, given, `without-${what.replaceAll(' ', '-')}`)
  const whole = { ...documents }
  for (const name of Object.keys(documents) as DatasetName[]) whole[name] = given[name] ?? []
  const { case_genes: pairs } = release.manifest.associations ?? {}
  expect(pairs?.rows).toBe(naivePairs(whole).length)
  expect(Math.min(pairs?.rows ?? 0, 1)).toBe(least)
  const issues = await issuesOf(release.id)
  expect(issues).toEqual([])
  await release.close()
})

test('a changed byte in the pairs is found when they are read, and by a check', async () => {
  const release = await builtRelease(folder, mutatedCommons(new Dice(7), 20), 'damaged')
  const name = `${linkKey('case_genes', 'gene')}.arrow`
  const path = join(folder, 'damaged', name)
  const bytes = await readFile(path)
  bytes[bytes.length - 9]! ^= 1
  await writeFile(path, bytes)
  await expect(release.load([linkKey('case_genes', 'gene')])).rejects.toMatchObject({
    code: 'corrupt_source',
  })
  const issues = await issuesOf('damaged')
  expect(issues).toEqual([{ subject: name, problem: 'its CRC32 is not the one on record' }])
  await release.close()
})

test('a release from before there were pairs says what brings it up to date', async () => {
  const made = await builtRelease(folder, mutatedCommons(new Dice(9), 5), 'old')
  await made.close()
  const { associations: _, ...manifest } = made.manifest
  await writeFile(join(folder, 'old', MANIFEST_NAME), manifestText(manifest as ReleaseManifest))
  const release = await Release.open(join(folder, 'old'))
  await expect(release.load([linkKey('case_genes', 'case')])).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('bring it up to date with casemill upgrade'),
  })
  await expect(release.load([linkKey('cases', 'project')])).resolves.toBeDefined()
  await release.close()
})
