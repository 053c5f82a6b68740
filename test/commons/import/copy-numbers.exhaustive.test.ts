import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { COPY_NUMBER_TABLE } from '../../../engine/commons/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { documentsOf, tsv } from './support/documents.ts'
import { SHARED } from './support/shared-data.ts'
import {
  ask,
  endWorld,
  equals,
  expectSameDocuments,
  facet,
  total,
  type World,
  worldOf,
} from './support/world.ts'

// Imports public tables of copy numbers and queries them over HTTP. Expected results are counted with pandas in
// the same tables.

const canCount = available.shared && available.numpy

const ACC = join(SHARED, 'copy_number/tcga_acc_gistic_thresholded_by_gene.tsv.gz')
const LAML = join(SHARED, 'copy_number/tcga_laml_cbs_segments.grch37.tsv.gz')
const AB3009 = join(SHARED, 'copy_number/TCGA.AB.3009.hg19.seg.txt')
const GENES = join(SHARED, 'genes/gencode.v36.genes.tsv.gz')
const CASES = join(SHARED, 'cases/tcga_cases_legacy.tsv.gz')
const DATASETS = [
  ...(['cases', 'cnvs', 'cnv_occurrences'] as const),
  ...(['segment_cnvs', 'segment_cnv_occurrences'] as const),
]

/** Runs a Python script that prints JSON. */
const pandas = async <Value>(script: string, ...args: string[]) =>
  JSON.parse(await runPython(`import json, sys\nimport pandas as pd\n${script}`, args)) as Value

const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.join('\t')).sort()

/** A script that prints every cell of the table with its category, including neutral ones. */
const CELLS = `
names = {-2: 'Homozygous Deletion', -1: 'Loss', 0: 'Neutral', 1: 'Gain', 2: 'Amplification'}
table = pd.read_csv(sys.argv[1], sep='\\t')
cells = table.melt('symbol', var_name='barcode', value_name='call')
cells['category'] = cells.call.map(names)
cells['change'] = cells.call.map(lambda call: 'Loss' if call < 0 else 'Gain')
cells['case'] = cells.barcode.str[:12]
changes = cells[cells.call != 0]
`

/**
 * A script that prints every segment of both tables in the same columns, with the category of the nearest copy
 * number.
 */
const SEGMENTS = `
import numpy as np
columns = ['sample', 'chromosome', 'start', 'end', 'probes', 'mean']
tables = [pd.read_csv(path, sep='\\t', dtype={'Chromosome': str}) for path in sys.argv[1:]]
for table in tables: table.columns = columns
segments = pd.concat(tables)
copies = np.floor(2 * np.exp2(segments['mean']) + 0.5)
segments['category'] = np.select([copies == 0, copies == 1, copies == 2, copies < 5],
  ['Homozygous Deletion', 'Loss', 'Neutral', 'Gain'], 'Amplification')
segments['change'] = np.where(copies < 2, 'Loss', 'Gain')
segments['case'] = segments['sample'].str[:12]
segments['length'] = segments.end - segments.start + 1
changes = segments[copies != 2]
place = ['chromosome', 'start', 'end', 'length', 'change', 'category']
`

interface GeneHit {
  readonly cnv: {
    readonly cnv_change: string
    readonly cnv_change_5_category: string
    readonly consequence: readonly [{ readonly gene: { readonly symbol: string } }]
  }
  readonly case: {
    readonly submitter_id: string
    readonly observation: readonly { readonly sample: { readonly tumor_sample_barcode: string } }[]
  }
}

interface Segment {
  readonly chromosome: string
  readonly start_position: number
  readonly end_position: number
  readonly length: number
  readonly cnv_change: string
  readonly cnv_change_5_category: string
}

const segmentRow = (segment: Segment) => [
  ...[segment.chromosome, segment.start_position, segment.end_position, segment.length],
  ...[segment.cnv_change, segment.cnv_change_5_category],
]

describe.skipIf(!canCount)(
  'copy numbers of public tables, of genes and of segments at once',
  () => {
    let world: World
    beforeAll(async () => {
      world = await worldOf(ACC, LAML, GENES, AB3009, CASES)
    })
    afterAll(() => endWorld(world))

    test('have an occurrence for each call of a gene that is a change', async () => {
      const expected = await pandas<{ rows: string[][]; neutral: number }>(
        `${CELLS}
rows = changes[['symbol', 'category', 'change', 'case', 'barcode']].values.tolist()
print(json.dumps({'rows': rows, 'neutral': int((cells.call == 0).sum())}))`,
        ACC,
      )
      const fields = [
        ...['cnv.consequence.gene.symbol', 'cnv.cnv_change', 'cnv.cnv_change_5_category'],
        ...['case.submitter_id', 'case.observation.sample.tumor_sample_barcode'],
      ].join()
      const { hits } = await ask<GeneHit>(world, '/cnv_occurrences', { fields, size: 20_000 })
      const rows = hits.flatMap(({ cnv, case: of }) =>
        of.observation.map(({ sample }) => [
          ...[cnv.consequence[0].gene.symbol, cnv.cnv_change_5_category, cnv.cnv_change],
          ...[of.submitter_id, sample.tumor_sample_barcode],
        ]),
      )
      expect(sorted(rows)).toEqual(sorted(expected.rows))
      const report = world.report.sources.find(({ source }) => source === ACC)
      expect(report).toMatchObject({ neutral: expected.neutral, badRows: 0 })
      // ORIGIN.md: the five values occur 82, 3,167, 8,859, 5,516 and 196 times in 198 rows and 90 columns.
      expect(rows.length + expected.neutral).toBe(198 * 90)
    })

    test('have a variation for each gene and category, where the gene model has the gene', async () => {
      const expected = await pandas<unknown[][]>(
        `${CELLS}
genes = pd.read_csv(sys.argv[2], sep='\\t').drop_duplicates('symbol', keep=False)
genes['chromosome'] = genes.chromosome.str[3:]
cnvs = changes[['symbol', 'category']].drop_duplicates().merge(genes, 'left', 'symbol')
rows = cnvs[['symbol', 'category', 'gene_id', 'chromosome', 'start', 'end', 'biotype']]
print(rows.astype(object).where(rows.notna(), None).to_json(orient='values'))`,
        ACC,
        GENES,
      )
      const fields = [
        ...['chromosome', 'start_position', 'end_position', 'cnv_change_5_category'],
        ...['gene_id', 'symbol', 'biotype'].map((name) => `consequence.gene.${name}`),
      ].join()
      type Cnv = Partial<Segment> & {
        readonly consequence: readonly [{ readonly gene: Readonly<Record<string, string>> }]
      }
      const { hits } = await ask<Cnv>(world, '/cnvs', { fields, size: 10_000 })
      const rows = hits.map(({ consequence: [{ gene }], ...cnv }) => [
        ...[gene.symbol, cnv.cnv_change_5_category, gene.gene_id],
        ...[cnv.chromosome, cnv.start_position, cnv.end_position, gene.biotype],
      ])
      expect(sorted(rows)).toEqual(sorted(expected))
    })

    test('have an occurrence for each segment that is a change', async () => {
      const expected = await pandas<{ rows: unknown[][]; neutral: number; all: number }>(
        `${SEGMENTS}
rows = changes[['case', *place]].drop_duplicates().values.tolist()
print(json.dumps({'rows': rows, 'neutral': len(segments) - len(changes), 'all': len(segments)}))`,
        LAML,
        AB3009,
      )
      interface Hit {
        readonly segment_cnv: Segment
        readonly case: { readonly submitter_id: string }
      }
      const { hits } = await ask<Hit>(world, '/segment_cnv_occurrences', {
        fields: 'case.submitter_id',
        expand: 'segment_cnv',
        size: 10_000,
      })
      const rows = hits.map((hit) => [hit.case.submitter_id, ...segmentRow(hit.segment_cnv)])
      expect(sorted(rows)).toEqual(sorted(expected.rows))
      // wc -l, without the headers.
      expect(expected.all).toBe(6_470 + 818)
      const reports = world.report.sources.filter(({ source }) => [LAML, AB3009].includes(source))
      const neutral = reports.reduce((sum, each) => sum + (each.neutral ?? 0), 0)
      expect(neutral).toBe(expected.neutral)
      const taken = reports.map(({ records }) => records.segment_cnv_occurrences ?? 0)
      expect(taken.reduce((sum, each) => sum + each, neutral)).toBe(expected.all)
    })

    test('have a variation for each span and category', async () => {
      const expected = await pandas<unknown[][]>(
        `${SEGMENTS}
print(json.dumps(changes[place].drop_duplicates().values.tolist()))`,
        LAML,
        AB3009,
      )
      const { hits } = await ask<Segment>(world, '/segment_cnvs', { size: 10_000 })
      expect(sorted(hits.map(segmentRow))).toEqual(sorted(expected))
    })

    test('are counted by facets as pandas counts them', async () => {
      type Counts = Record<string, number>
      const counted = async (script: string, by: string, ...tables: string[]) =>
        new Map(
          Object.entries(
            await pandas<Counts>(
              `${script}
print((changes${by}).value_counts().to_json())`,
              ...tables,
            ),
          ).map(([name, count]) => [name.toLowerCase(), count]),
        )
      const segment = [LAML, AB3009]
      const segmentOf = (names: string) => `[[${names}*place]].drop_duplicates()`
      for (const [path, field, expected] of [
        ['/cnv_occurrences', 'cnv.cnv_change', await counted(CELLS, '.change', ACC)],
        [
          ...['/cnv_occurrences', 'cnv.cnv_change_5_category'],
          await counted(CELLS, '.category', ACC),
        ],
        [
          ...['/cnvs', 'cnv_change'],
          await counted(CELLS, `[['symbol', 'category', 'change']].drop_duplicates().change`, ACC),
        ],
        [
          ...['/segment_cnvs', 'cnv_change'],
          await counted(SEGMENTS, `${segmentOf('')}.change`, ...segment),
        ],
        [
          ...['/segment_cnv_occurrences', 'segment_cnv.cnv_change_5_category'],
          await counted(SEGMENTS, `${segmentOf("'case', ")}.category`, ...segment),
        ],
      ] as [string, string, Map<string, number>][]) {
        expect([path, await facet(world, path, field)]).toEqual([path, expected])
      }
    })

    test('say of their cases which variation was measured', async () => {
      const genes = await pandas<number>(
        `${CELLS}
print(cells.case.nunique())`,
        ACC,
      )
      const of = (value: string) =>
        total(world, '/cases', equals('available_variation_data', value))
      expect(await of('cnv')).toBe(genes)
      const segments = await pandas<number>(
        `${SEGMENTS}
print(segments.case.nunique())`,
        LAML,
        AB3009,
      )
      expect(await of('segment_cnv')).toBe(segments)
    })
  },
)

test.skipIf(!available.shared)(
  'tables in either order, in one release or in several, and again, give the same documents',
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-copies-'))
    try {
      const model = join(folder, 'genes.tsv')
      await writeFile(
        model,
        [
          'gene_id\tsymbol\tbiotype\tchromosome\tstart\tend',
          'ENSG00000141510\tTP53\tprotein_coding\tchr17\t7661779\t7687538',
          'ENSG00000012048\tBRCA1\tprotein_coding\tchr17\t43044295\t43170245\n',
        ].join('\n'),
      )
      await expectSameDocuments(DATASETS, [
        [[ACC, LAML, model, AB3009]],
        [[AB3009], [ACC], [model, LAML]],
        [[model], [LAML, ACC], [ACC, AB3009, LAML]],
      ])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

test.skipIf(!available.shared)('an import of copy numbers alone takes nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-copies-'))
  try {
    const report = await importCommons({
      sources: [join(SHARED, 'copy_number'), CASES],
      dataFolder: folder,
      executor: inlineExecutor,
      only: COPY_NUMBER_TABLE,
      dryRun: true,
    })
    const taken = report.sources.filter(({ notTaken }) => notTaken === undefined)
    expect(taken.map(({ source }) => source).sort()).toEqual([AB3009, ACC, LAML])
    expect(report.badRows).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('made-up tables', () => {
  test('of genes and of segments in any order, and cut in any way, give the same documents', async () => {
    const header = ['Sample', 'Chromosome', 'Start', 'End', 'Copy_Number']
    for (let seed = 1; seed <= 8; seed++) {
      const random = randomFrom(seed)
      const person = () => `TCGA-AA-000${random.below(4)}-0${1 + random.below(2)}A`
      const segments = Array.from({ length: 20 }, () => {
        const start = 1 + random.below(4)
        const place = [`chr${1 + random.below(2)}`, String(start), String(start + random.below(3))]
        return [person(), ...place, String(random.below(7))]
      })
      const calls = Array.from({ length: 8 }, (_, i) => [
        `GENE${i}`,
        ...[0, 1, 2].map(() => String(random.below(5) - 2)),
      ])
      const samples = ['TCGA-AA-0001-01A', 'TCGA-AA-0001-02A', 'TCGA-AA-0002-01A']
      const matrix = (...rows: readonly (readonly string[])[]) =>
        tsv('calls.tsv', ['Gene Symbol', 'Cytoband', ...samples], ...rows.map(withBand))
      const withBand = ([gene = '', ...values]: readonly string[]) => [gene, '1p', ...values]
      const cut = 1 + random.below(6)
      const one = [tsv('a.seg', header, ...segments), matrix(...calls)]
      const other = [
        matrix(...calls.slice(cut)),
        tsv('b.seg', header, ...segments.slice(0, cut).toReversed()),
        matrix(...calls.slice(0, cut)),
        tsv('c.seg', header, ...segments.slice(cut)),
      ]
      const { documents } = await documentsOf(one)
      for (const sources of [other, other.toReversed(), [...other, ...one]]) {
        expect((await documentsOf(sources)).documents, `seed ${seed}`).toEqual(documents)
      }
    }
  })
})
