import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { SHARED } from './support/shared-data.ts'
import { ask, endWorld, facet, type World, worldOf } from './support/world.ts'

// Compares everything in a public mutation table: counts by pandas in the table, and facets of the imported release.

const CHOL = join(SHARED, 'mutations/tcga_chol.grch38.gdc_somatic.maf.gz')
const canCount = available.shared && available.numpy

/** A script that lists the table's mutations: rows with the same span and alleles are one. */
const TABLE = `
import json, sys
import pandas as pd
rows = pd.read_csv(sys.argv[1], sep='\\t', comment='#', low_memory=False, dtype=str)
span = ['NCBI_Build', 'Chromosome', 'Start_Position', 'End_Position']
rows['mutation'] = rows[[*span, 'Reference_Allele', 'Tumor_Seq_Allele2']].agg(' '.join, axis=1)
mutations = rows.drop_duplicates('mutation')
depths = ['t_depth', 't_ref_count', 't_alt_count', 'n_depth']
`

/** A script with one row per mutation and transcript; for the annotated transcript, the row's own columns count. */
const TRANSCRIPTS = `${TABLE}
listed = mutations[['mutation', 'all_effects']].copy()
listed['effect'] = listed.all_effects.str.split(';')
listed = listed.explode('effect')
parts = listed.effect.str.split(',', expand=True)
listed = listed.assign(symbol=parts[0], type=parts[1], transcript=parts[3])
listed = listed[listed.transcript.fillna('') != '']
own = mutations.rename(columns={'Transcript_ID': 'transcript', 'One_Consequence': 'type'})
own['symbol'] = own.Hugo_Symbol.where(own.Hugo_Symbol != 'Unknown')
columns = ['mutation', 'transcript', 'symbol', 'type']
transcripts = pd.concat([own[columns], listed[columns]]).drop_duplicates(['mutation', 'transcript'])
def mutations_by(name):
    said = transcripts[transcripts[name].fillna('') != ''][['mutation', name]].drop_duplicates()
    return said[name].str.lower().value_counts().to_dict()
`

describe.skipIf(!canCount)('the mutations of TCGA-CHOL, as pandas counts them', () => {
  let world: World
  beforeAll(async () => {
    world = await worldOf(CHOL)
  })
  afterAll(() => endWorld(world))

  const pandas = async <Value>(script: string) =>
    JSON.parse(await runPython(script, [CHOL])) as Value
  const counted = async (script: string, by: string) =>
    new Map(
      Object.entries(await pandas<Record<string, number>>(`${script}\nprint(json.dumps(${by}))`)),
    )
  const found = async (path: string, name: string) => {
    const buckets = await facet(world, path, name)
    buckets.delete('_missing')
    return buckets
  }

  test('of each gene', async () => {
    const expected = await counted(TABLE, 'mutations.Gene.value_counts().to_dict()')
    expect(expected.size).toBeGreaterThan(2_000)
    expect(await found('/ssms', 'consequence.transcript.gene.gene_id')).toEqual(expected)
  })

  test('of each symbol, in whichever of their transcripts', async () => {
    const expected = await counted(TRANSCRIPTS, `mutations_by('symbol')`)
    expect(expected.size).toBeGreaterThan(2_000)
    expect(await found('/ssms', 'consequence.transcript.gene.symbol')).toEqual(expected)
  })

  test('of each consequence type', async () => {
    const expected = await counted(TRANSCRIPTS, `mutations_by('type')`)
    expect(expected.size).toBeGreaterThan(10)
    const types = await found('/ssms', 'consequence.transcript.consequence_type')
    expect(lowerCase(types)).toEqual(expected)
  })

  test('of each subtype', async () => {
    const expected = await counted(
      `${TABLE}
lengths = [mutations[name].str.replace('-', '', regex=False).str.len()
  for name in ('Reference_Allele', 'Tumor_Seq_Allele2')]
def kind(before, after):
    if before == after: return ('single' if before == 1 else 'multiple') + ' base substitution'
    return 'small deletion' if before > after else 'small insertion'
kinds = pd.Series([kind(*each) for each in zip(*lengths)])`,
      'kinds.value_counts().to_dict()',
    )
    expect(await found('/ssms', 'mutation_subtype')).toEqual(expected)
  })

  test('of each case', async () => {
    const expected = await counted(
      TABLE,
      `rows.drop_duplicates(['mutation', 'case_id']).case_id.value_counts().to_dict()`,
    )
    expect(expected.size).toBe(49)
    expect(await found('/ssm_occurrences', 'case.case_id')).toEqual(expected)
  })

  test('with their read depths, in each case', async () => {
    const expected = await pandas<Record<string, Record<string, number>>>(`${TABLE}
rows[depths] = rows[depths].astype('Int64')
print(rows.groupby('case_id')[depths].sum().to_json(orient='index'))`)
    interface Hit {
      readonly case: {
        readonly case_id: string
        readonly observation: readonly { readonly read_depth: Record<string, number> }[]
      }
    }
    const fields = 'case.case_id,case.observation.read_depth'
    const expand = 'case.observation.read_depth'
    const { hits } = await ask<Hit>(world, '/ssm_occurrences', { fields, expand, size: 10_000 })
    const sums: Record<string, Record<string, number>> = {}
    for (const { case_id: id, observation } of hits.map((hit) => hit.case)) {
      sums[id] ??= { t_depth: 0, t_ref_count: 0, t_alt_count: 0, n_depth: 0 }
      for (const { read_depth: depths } of observation) {
        for (const [name, depth] of Object.entries(depths)) sums[id][name]! += depth
      }
    }
    expect(sums).toEqual(expected)
  })
})

const lowerCase = (counts: ReadonlyMap<string, number>) =>
  new Map([...counts].map(([name, count]) => [name.toLowerCase(), count]))
