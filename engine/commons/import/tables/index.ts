import type { TableKind } from '../table-kind.ts'
import { alignmentTable } from './alignment-table.ts'
import { annotationTable } from './annotation-table.ts'
import { apiTable } from './api-table.ts'
import { callMatrix } from './call-matrix.ts'
import { clinicalTable } from './clinical-table.ts'
import { downloadManifest } from './download-manifest.ts'
import { formerClinicalTable } from './former-clinical-table.ts'
import { geneCopiesTable } from './gene-copies-table.ts'
import { geneTable } from './gene-table.ts'
import { legacyCases } from './legacy-cases.ts'
import { legacySamples } from './legacy-samples.ts'
import { mutationTable } from './mutation-table.ts'
import { releaseManifest } from './release-manifest.ts'
import { sampleSheet } from './sample-sheet.ts'
import { segmentTable } from './segment-table.ts'
import { studyTable } from './study-table.ts'
import { survivalTable } from './survival-table.ts'
import { swapTable } from './swap-table.ts'

/** All kinds of tables, in the order in which a header is compared with them. The least specific kind is last. */
export const TABLE_KINDS: readonly TableKind[] = Object.freeze([
  mutationTable,
  geneCopiesTable,
  segmentTable,
  callMatrix,
  swapTable,
  sampleSheet,
  annotationTable,
  releaseManifest,
  legacyCases,
  legacySamples,
  studyTable,
  alignmentTable,
  downloadManifest,
  clinicalTable,
  formerClinicalTable,
  geneTable,
  survivalTable,
  apiTable,
])
