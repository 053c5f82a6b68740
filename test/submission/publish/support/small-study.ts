import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  augmented,
  CODING,
} from '../../../../engine/commons/import/expression/support/given-files.ts'
import { makeBam } from '../../../../fixtures/bam/make-bam.ts'
import { alignmentDocument, tableDocument, wholeCase } from './documents.ts'
import type { ReleasingWorld } from './world.ts'

export const STUDY = 'PRO-ONE'

/** A table of expression with the values of two genes. */
export const tableText = (tp53: string, brca2: string) =>
  Buffer.from(
    augmented([
      ['ENSG00000141510.18', 'TP53', CODING, tp53],
      ['ENSG00000139618.15', 'BRCA2', CODING, brca2],
      ['ENSG00000000001.1', 'LINC', 'lncRNA', '5.0000'],
    ]),
  )

/** An alignment without an index, and the path of the same one with an index. */
export async function smallAlignment() {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-alignment-'))
  const path = join(folder, 'reads.bam')
  await makeBam({ path, seed: 9, scale: 'tiny', style: 'htsjdk', index: 'bai' })
  return { path, bytes: await readFile(path), remove: () => rm(folder, { recursive: true }) }
}

/**
 * Submits two cases with everything that cases have, an alignment and a table of expression for the first, and
 * such a table for the second.
 */
export async function submitStudy(
  world: ReleasingWorld,
  alignment: Uint8Array,
  projectId = STUDY,
): Promise<Map<string, string>> {
  const code = projectId.slice(projectId.indexOf('-') + 1)
  const tables = [tableText('1.5000', '20.2500'), tableText('3.0000', '0.0000')] as const
  const ids = await world.submit(projectId, [
    ...wholeCase('C1', code),
    ...wholeCase('C2', code),
    alignmentDocument('C1_bam', 'C1_reads', 'reads.bam', alignment),
    tableDocument('C1_table', 'C1_reads', 'c1.tsv', tables[0]),
    tableDocument('C2_table', 'C2_reads', 'c2.tsv', tables[1]),
  ])
  const id = (name: string) => ids.get(name) ?? ''
  await world.deliver(id('C1_bam'), projectId, 'reads.bam', alignment)
  await world.deliver(id('C1_table'), projectId, 'c1.tsv', tables[0])
  await world.deliver(id('C2_table'), projectId, 'c2.tsv', tables[1])
  return ids
}
