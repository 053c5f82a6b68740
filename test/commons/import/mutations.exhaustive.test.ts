import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { MUTATION_TABLE } from '../../../engine/commons/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { type Random, randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { documentsOf, tsv } from './support/documents.ts'
import { SHARED } from './support/shared-data.ts'
import {
  all,
  ask,
  endWorld,
  equals,
  expectSameDocuments,
  facet,
  total,
  type World,
  worldOf,
} from './support/world.ts'

// Imports public mutation tables and queries them over HTTP. Expected numbers are counted by the command above
// each, run in shared/data/mutations.

const MUTATIONS = join(SHARED, 'mutations')
const CHOL = join(MUTATIONS, 'tcga_chol.grch38.gdc_somatic.maf.gz')
const HNSC = join(MUTATIONS, 'tcga_hnsc.grch37.mc3.maf.gz')
const LAML = join(MUTATIONS, 'tcga_laml.grch37.mc3.maf.gz')
const CASES = join(SHARED, 'cases/tcga_cases_legacy.tsv.gz')

/** The members that these tests request. */
interface Hit {
  readonly consequence: readonly unknown[]
  readonly case: {
    readonly case_id: string
    readonly project: unknown
    readonly observation: readonly { readonly read_depth: Readonly<Record<string, number>> }[]
  }
}

/** Parses the counts that `uniq -c` prints, by value. */
const counts = (text: string) =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ +/) as [string, string])
      .map(([count, value]) => [value, Number(count)]),
  )

describe.skipIf(!available.shared)('the mutations of TCGA-CHOL', () => {
  let world: World
  beforeAll(async () => {
    world = await worldOf(CASES, CHOL)
  })
  afterAll(() => endWorld(world))

  test('are as many as the table has', async () => {
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1{print $4,$5,$6,$7,$11,$13}' | sort -u | wc -l
    expect(await total(world, '/ssms')).toBe(3_865)
    // the same with $116 (case_id)
    expect(await total(world, '/ssm_occurrences')).toBe(3_870)
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1{print $116}' | sort -u | wc -l
    const cases = equals('available_variation_data', 'ssm')
    expect(await total(world, '/cases', cases)).toBe(49)
    expect(world.report.badRows).toEqual([])
    expect(world.report.datasets.ssms.conflicts).toEqual([])
    expect(world.report.datasets.ssm_occurrences.conflicts).toEqual([])
    expect(await facet(world, '/ssms', 'mutation_subtype')).toEqual(
      new Map([['single base substitution', 3_865]]),
    )
  })

  test('hit the genes that the table names', async () => {
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1{print $48,$5,$6,$13}' | sort -u | cut -d' ' -f1 |
    //   sort | uniq -c | sort -rn | head
    const first = counts(`
      7 ENSG00000163930
      7 ENSG00000155657
      7 ENSG00000123104
      6 ENSG00000117983
      5 ENSG00000181143
      5 ENSG00000164199
      5 ENSG00000163939
      5 ENSG00000137478
      5 ENSG00000127603
      5 ENSG00000108510`)
    const ids = await facet(world, '/ssms', 'consequence.transcript.gene.gene_id')
    expect(new Map([...ids].filter(([id]) => first.has(id)))).toEqual(first)
    expect([...ids].filter(([id, count]) => count >= 5 && id !== '_missing')).toHaveLength(10)
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1{n=split($46,e,";");for(i=1;i<=n;i++){
    //   split(e[i],p,",");if(p[1]!="")print p[1],$5,$6,$13}}' | sort -u | cut -d' ' -f1 | sort |
    //   uniq -c | sort -rn | head
    const named = counts(`
      13 y_rna
      11 pcdha1
      10 pcdha3
      10 pcdha2
      9 pcdha4
      8 pcdhga3
      8 pcdhga2
      8 pcdhga1
      7 ttn-as1
      7 ttn`)
    const symbols = await facet(world, '/ssms', 'consequence.transcript.gene.symbol')
    expect(new Map([...symbols].filter(([symbol]) => named.has(symbol)))).toEqual(named)
  })

  test('occur in the cases of the table, gene by gene', async () => {
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1{print $48,$5,$6,$13,$116}' | sort -u |
    //   cut -d' ' -f1 | sort | uniq -c | grep -e ENSG00000138413 -e ENSG00000163930
    const gene = 'ssm.consequence.transcript.gene.gene_id'
    const idh1 = equals(gene, 'ENSG00000138413')
    expect(await total(world, '/ssm_occurrences', idh1)).toBe(6)
    expect(await total(world, '/ssm_occurrences', equals(gene, 'ENSG00000163930'))).toBe(7)
    const { hits } = await ask<Hit>(world, '/ssm_occurrences', {
      filters: idh1,
      fields: 'case.case_id,case.project.project_id',
      size: 10,
    })
    const cases = hits.map((hit) => hit.case.case_id)
    // zcat tcga_chol*.gz | awk -F'\t' '$1=="IDH1"{print $116}' | sort -u | wc -l
    expect(new Set(cases).size).toBe(6)
    expect(hits[0]?.case.project).toEqual({ project_id: 'TCGA-CHOL' })
  })

  test('have the effects that canonical transcripts have', async () => {
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1&&$66=="YES"{print $51,$5,$6,$13}' | sort -u |
    //   cut -d' ' -f1 | sort | uniq -c
    const expected = counts(`
      1429 missense_variant
      555 3_prime_UTR_variant
      468 synonymous_variant
      177 intron_variant
      110 5_prime_UTR_variant
      97 stop_gained
      81 non_coding_transcript_exon_variant
      47 downstream_gene_variant
      36 upstream_gene_variant
      34 splice_region_variant
      14 splice_donor_variant
      12 splice_acceptor_variant
      4 stop_lost
      3 start_lost
      1 stop_retained_variant
      1 mature_miRNA_variant`)
    const transcript = 'consequence.transcript'
    for (const [type, count] of expected) {
      const filter = all(
        equals(`${transcript}.is_canonical`, 'true'),
        equals(`${transcript}.consequence_type`, type),
      )
      expect([type, await total(world, '/ssms', filter)]).toEqual([type, count])
    }
  })

  test('are found and shown as the service shows them', async () => {
    const { hits } = await ask<Hit>(world, '/ssms', {
      filters: equals('genomic_dna_change', 'chr17:g.7674221G>A'),
      fields:
        'gene_aa_change,cosmic_id,ncbi_build,occurrence.case.observation.read_depth.t_depth,consequence.transcript.transcript_id',
      size: 10,
    })
    // zcat tcga_chol*.gz | awk -F'\t' '$6==7674221' | cut -f 14,40,46,118
    expect(hits).toHaveLength(1)
    expect(hits[0]).toMatchObject({
      ncbi_build: 'GRCh38',
      cosmic_id: [
        ...['COSM10656', 'COSM120005', 'COSM120006', 'COSM120007', 'COSM1640831', 'COSM3388183'],
        'rs121912651',
      ],
      gene_aa_change: ['R116W', 'R155W', 'R209W', 'R237W', 'R248W', 'R89W'].map(
        (change) => `TP53 ${change}`,
      ),
      occurrence: [{ case: { observation: [{ read_depth: { t_depth: 11 } }] } }],
    })
    expect(hits[0]?.consequence).toHaveLength(27)
  })

  test('have the read depths of the table', async () => {
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1{a+=$40;b+=$41;c+=$42;d+=$43}END{print a,b,c,d}'
    const sums: Record<string, number> = { t_depth: 0, t_ref_count: 0, t_alt_count: 0, n_depth: 0 }
    const names = Object.keys(sums)
    const fields = names.map((name) => `case.observation.read_depth.${name}`).join()
    const { hits } = await ask<Hit>(world, '/ssm_occurrences', { fields, size: 10_000 })
    const depths = hits.flatMap((hit) => hit.case.observation.map((each) => each.read_depth))
    for (const name of names) {
      sums[name] = depths.reduce((sum, depth) => sum + (depth[name] ?? 0), 0)
    }
    expect(sums).toEqual({
      ...{ t_depth: 237_248, t_ref_count: 161_739 },
      ...{ t_alt_count: 75_131, n_depth: 261_188 },
    })
  })
})

describe.skipIf(!available.shared)(
  'mutations of the earlier reference, in tables of few columns',
  () => {
    let world: World
    beforeAll(async () => {
      world = await worldOf(HNSC, CASES)
    })
    afterAll(() => endWorld(world))

    test('are as many as the table has, of each kind', async () => {
      // zcat tcga_hnsc*.gz | awk -F'\t' 'NR>1{print $2,$3,$4,$7,$8}' | sort -u | wc -l
      expect(await total(world, '/ssms', equals('ncbi_build', 'GRCh37'))).toBe(28_091)
      // the same with $9 (sample)
      expect(await total(world, '/ssm_occurrences')).toBe(28_160)
      // zcat tcga_hnsc*.gz | awk -F'\t' 'NR>1{r=$7;a=$8;l=r=="-"?0:length(r);m=a=="-"?0:length(a);
      //   k=l==m?(l==1?"sbs":"mbs"):(l>m?"del":"ins");print k,$2,$3,$4,$7,$8}' | sort -u |
      //   cut -d' ' -f1 | uniq -c
      expect(await facet(world, '/ssms', 'mutation_subtype')).toEqual(
        new Map([
          ['single base substitution', 27_234],
          ['small deletion', 612],
          ['small insertion', 242],
          ['multiple base substitution', 3],
        ]),
      )
    })

    test('have an effect for each classification', async () => {
      // zcat tcga_hnsc*.gz | awk -F'\t' 'NR>1{print $5,$2,$3,$4,$7,$8}' | sort -u |
      //   cut -d' ' -f1 | sort | uniq -c
      const classes = counts(`
      94 3'Flank
      1190 3'UTR
      99 5'Flank
      608 5'UTR
      429 Frame_Shift_Del
      200 Frame_Shift_Ins
      88 In_Frame_Del
      10 In_Frame_Ins
      778 Intron
      15988 Missense_Mutation
      1389 Nonsense_Mutation
      19 Nonstop_Mutation
      376 RNA
      6338 Silent
      457 Splice_Site
      28 Translation_Start_Site`)
      const of = (name: string) => classes.get(name) ?? 0
      expect(await facet(world, '/ssms', 'consequence.transcript.consequence_type')).toEqual(
        new Map(
          Object.entries({
            missense_variant: of('Missense_Mutation'),
            synonymous_variant: of('Silent'),
            stop_gained: of('Nonsense_Mutation'),
            '3_prime_UTR_variant': of("3'UTR"),
            intron_variant: of('Intron'),
            frameshift_variant: of('Frame_Shift_Del') + of('Frame_Shift_Ins'),
            '5_prime_UTR_variant': of("5'UTR"),
            splice_site_variant: of('Splice_Site'),
            non_coding_transcript_exon_variant: of('RNA'),
            upstream_gene_variant: of("5'Flank"),
            downstream_gene_variant: of("3'Flank"),
            inframe_deletion: of('In_Frame_Del'),
            start_lost: of('Translation_Start_Site'),
            stop_lost: of('Nonstop_Mutation'),
            inframe_insertion: of('In_Frame_Ins'),
          }),
        ),
      )
    })

    test('belong to the cases that bear the barcodes', async () => {
      const barcodes = new Set(
        column(HNSC, 'Tumor_Sample_Barcode').map((text) => text.slice(0, 12)),
      )
      const named = column(CASES, 'id')
      const known = named.filter((name) => barcodes.has(name))
      expect(barcodes.size).toBe(120)
      const inProject = all(
        equals('available_variation_data', 'ssm'),
        equals('project.project_id', 'TCGA-HNSC'),
      )
      expect(await total(world, '/cases', inProject)).toBe(known.length)
      const withMutations = equals('available_variation_data', 'ssm')
      expect(await total(world, '/cases', withMutations)).toBe(120)
    })
  },
)

/** A column of a table, parsed without the engine. */
function column(path: string, name: string): string[] {
  const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n')
  const place = lines[0]?.split('\t').indexOf(name) ?? -1
  return lines.slice(1).map((line) => line.split('\t')[place] ?? '')
}

test.skipIf(!available.shared)(
  'tables in either order, in one release or in several, and again, give the same documents',
  { timeout: 600_000 },
  async () => {
    await expectSameDocuments(
      ['cases', 'ssms', 'ssm_occurrences'],
      [[[LAML, CHOL, CASES]], [[CHOL], [LAML, CASES]], [[CASES], [LAML], [CHOL], [LAML, CHOL]]],
    )
  },
)

test.skipIf(!available.shared)(
  'an import of mutation tables alone takes nothing else',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-mutations-'))
    try {
      const report = await importCommons({
        sources: [MUTATIONS, CASES],
        dataFolder: folder,
        executor: inlineExecutor,
        only: MUTATION_TABLE,
        dryRun: true,
      })
      const taken = report.sources.filter(({ notTaken }) => notTaken === undefined)
      expect(taken.map(({ kind }) => kind)).toEqual(Array(4).fill(MUTATION_TABLE))
      const other = report.sources.find(({ source }) => source === CASES)
      expect(other).toMatchObject({ notTaken: 'it is no mutation table (MAF)' })
      // for f in tcga_*.grch37*.gz; do zcat $f | awk -F'\t' 'FNR>1{print $2,$3,$4,$7,$8}'; done |
      //   sort -u | wc -l -> 66,212, and 3,865 of the other reference
      expect(report.datasets.ssms.records).toBe(66_212 + 3_865)
      // the same with substr($9,1,12) -> 66,852
      expect(report.datasets.ssm_occurrences.records).toBe(66_852 + 3_870)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

describe('made-up tables', () => {
  const HEADER = [
    ...['NCBI_Build', 'Chromosome', 'Start_Position', 'Reference_Allele', 'Tumor_Seq_Allele2'],
    ...['Tumor_Sample_Barcode', 'case_id', 't_depth', 'COSMIC', 'Hugo_Symbol', 'Gene'],
    ...['Transcript_ID', 'CANONICAL', 'HGVSp_Short', 'One_Consequence', 'all_effects'],
  ]
  const TYPES = ['missense_variant', 'intron_variant', 'stop_gained']

  /** A row whose annotation of the transcript follows from place and allele; the list of effects varies. */
  function rowOf(random: Random): string[] {
    const place = 100 + random.below(6)
    const allele = 'CGT'.charAt(random.below(3))
    const effectOf = (i: number) =>
      `GENE${i % 2},${TYPES[(place + i) % 3]},p.A${place}${allele},T${i},`
    const listed = [0, 1, 2, 3].filter(() => random.chance(0.6))
    const own = random.below(4)
    const person = random.below(4)
    const effect = effectOf(own).split(',')
    return [
      ...[random.chance(0.5) ? 'GRCh38' : 'hg38', 'chr1', String(place), 'A', allele],
      `TCGA-AA-000${person}-0${1 + random.below(2)}A`,
      random.chance(0.5) ? `c1000000-0000-4000-8000-00000000000${person}` : '',
      ...[random.chance(0.8) ? String(10 + random.below(5)) : '', ''],
      ...[effect[0]!, `ENSG${own % 2}`, effect[3]!, own === 0 ? 'YES' : '', effect[2]!, effect[1]!],
      listed.map(effectOf).join(';'),
    ]
  }

  test('in any order, cut in any way, and twice, give the same documents', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = randomFrom(seed)
      const rows = Array.from({ length: 30 }, () => rowOf(random))
      const whole = await documentsOf([tsv('a.maf', HEADER, ...rows)])
      const cut = random.below(rows.length)
      const [one, other] = [
        tsv('b.maf', HEADER, ...rows.slice(0, cut)),
        tsv('c.maf', HEADER, ...rows.slice(cut)),
      ]
      for (const sources of [
        [one, other],
        [other, one],
        [tsv('d.maf', HEADER, ...rows.toReversed())],
        [one, other, one, tsv('a.maf', HEADER, ...rows)],
      ]) {
        expect((await documentsOf(sources)).documents, `seed ${seed}`).toEqual(whole.documents)
      }
    }
  })
})
