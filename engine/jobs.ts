import type { Job } from './shared/executor.ts'

/** A job of any input and output. */
type AnyJob = Pick<Job<never, unknown>, 'name' | 'run'>

/** All jobs that may run in a worker thread, keyed by name. Each module is loaded on first use. */
export const JOBS: Readonly<Record<string, () => Promise<AnyJob>>> = {
  'case-tables.chunk': async () =>
    (await import('./commons/case-tables/case-chunk.ts')).caseTablesJob,
  'comparison.enrichment': async () =>
    (await import('./commons/analysis/comparison/enrichment.ts')).enrichmentJob,
  'comparison.fields': async () =>
    (await import('./commons/analysis/comparison/compare-fields.ts')).compareFieldsJob,
  'comparison.groups': async () =>
    (await import('./commons/analysis/comparison/case-groups.ts')).caseGroupsJob,
  'comparison.variables': async () =>
    (await import('./commons/analysis/comparison/relate-variables.ts')).relateVariablesJob,
  'containers.choose': async () =>
    (await import('./commons/containers/choose-containers.ts')).chooseContainersJob,
  'containers.decode-slices': async () =>
    (await import('./commons/containers/decode-slices.ts')).decodeSlicesJob,
  'containers.walk': async () =>
    (await import('./commons/containers/walk-containers.ts')).walkContainersJob,
  'import.piece': async () => (await import('./commons/import/read-piece.ts')).pieceJob,
  'import.rows': async () => (await import('./commons/import/expression/read-rows.ts')).rowsJob,
  'import.sample': async () =>
    (await import('./commons/import/expression/read-sample.ts')).sampleJob,
  'integrity.checksum': async () =>
    (await import('./shared/integrity/checksum-job.ts')).checksumJob,
  'multiple-primaries.lines': async () =>
    (await import('./registry/multiple-primaries/compare-lines.ts')).compareLinesJob,
  'dictionary.read': async () =>
    (await import('./submission/dictionary/read-files.ts')).readDictionaryJob,
  'mutation-counts.associations': async () =>
    (await import('./commons/analysis/mutation-counts/gene-associations.ts')).geneAssociationsJob,
  'mutation-counts.burden': async () =>
    (await import('./commons/analysis/mutation-counts/burden.ts')).burdenJob,
  'mutation-counts.copy-numbers': async () =>
    (await import('./commons/analysis/mutation-counts/copy-numbers.ts')).copyNumbersJob,
  'mutation-counts.changes': async () =>
    (await import('./commons/analysis/mutation-counts/gene-changes.ts')).geneChangesJob,
  'mutation-counts.frequency': async () =>
    (await import('./commons/analysis/mutation-counts/frequency.ts')).frequencyJob,
  'mutation-counts.genes': async () =>
    (await import('./commons/analysis/mutation-counts/gene-counts.ts')).geneCountsJob,
  'mutation-counts.oncogrid': async () =>
    (await import('./commons/analysis/mutation-counts/oncogrid.ts')).oncogridJob,
  'mutation-counts.projects': async () =>
    (await import('./commons/analysis/mutation-counts/project-counts.ts')).projectCountsJob,
  'mutation-counts.segments': async () =>
    (await import('./commons/analysis/mutation-counts/segments.ts')).segmentsJob,
  'mutation-counts.table': async () =>
    (await import('./commons/analysis/mutation-counts/frequency-chunk.ts')).frequencyChunkJob,
  'mutation-counts.top': async () =>
    (await import('./commons/analysis/mutation-counts/top.ts')).topJob,
  'expression.batch': async () =>
    (await import('./commons/analysis/expression/batch-job.ts')).batchJob,
  'expression.correlations': async () =>
    (await import('./commons/analysis/expression/coexpression-job.ts')).correlationsJob,
  'expression.differences': async () =>
    (await import('./commons/analysis/expression/differential-job.ts')).differencesJob,
  'expression.lines': async () =>
    (await import('./commons/analysis/expression/lines-job.ts')).linesJob,
  'expression.logs': async () =>
    (await import('./commons/analysis/expression/coexpression-job.ts')).logsJob,
  'expression.medians': async () =>
    (await import('./commons/analysis/expression/spread-job.ts')).mediansJob,
  'expression.read-batch': async () =>
    (await import('./commons/analysis/expression/read-batch.ts')).readBatchJob,
  'expression.read-ends': async () =>
    (await import('./commons/analysis/expression/read-batch.ts')).readEndsJob,
  'expression.read-part': async () =>
    (await import('./commons/analysis/expression/read-part.ts')).readPartJob,
  'expression.rough-spreads': async () =>
    (await import('./commons/analysis/expression/spread-job.ts')).roughSpreadsJob,
  'expression.set-scores': async () =>
    (await import('./commons/analysis/expression/set-scores-job.ts')).setScoresJob,
  'expression.spreads': async () =>
    (await import('./commons/analysis/expression/spread-job.ts')).spreadsJob,
  'query.join': async () => (await import('./commons/query/join-job.ts')).joinJob,
  'query.evaluate': async () => (await import('./commons/query/evaluate.ts')).evaluateJob,
  'recodes.lines': async () => (await import('./registry/recodes/recode-lines.ts')).recodeLinesJob,
  'release.associations': async () =>
    (await import('./commons/release/associations.ts')).associationsJob,
  'release.columns': async () => (await import('./commons/release/columns.ts')).columnsJob,
  'release.documents': async () =>
    (await import('./commons/release/document-writer.ts')).documentsJob,
  'release.lines': async () => (await import('./commons/release/manifest-lines.ts')).linesJob,
  'release.link': async () => (await import('./commons/release/link.ts')).linkJob,
  'render.chunk': async () => (await import('./commons/render/chunk.ts')).chunkJob,
  'render.parquet-group': async () =>
    (await import('./commons/render/parquet-group.ts')).parquetGroupJob,
  'render.frame': async () => (await import('./commons/render/frame.ts')).frameJob,
  'render.record': async () => (await import('./commons/render/record.ts')).recordJob,
  'search-graph.cart': async () => (await import('./commons/graphql/cart.ts')).cartJob,
  'search-graph.counts': async () => (await import('./commons/graphql/counts.ts')).countsJob,
  'search-graph.introspect': async () =>
    (await import('./commons/graphql/introspect-job.ts')).introspectSearchJob,
  'search-graph.nodes': async () => (await import('./commons/graphql/show-nodes.ts')).nodesJob,
  'search-graph.pick': async () => (await import('./commons/graphql/picks.ts')).pickJob,
  'search-graph.scored': async () =>
    (await import('./commons/graphql/scored-page.ts')).scoredPageJob,
  'single-cell.annotated': async () =>
    (await import('./commons/analysis/single-cell/annotations.ts')).annotatedJob,
  'single-cell.annotations': async () =>
    (await import('./commons/analysis/single-cell/annotations.ts')).annotationsJob,
  'single-cell.cell-names': async () =>
    (await import('./commons/analysis/single-cell/cell-names.ts')).cellNamesJob,
  'single-cell.cells': async () =>
    (await import('./commons/analysis/single-cell/cells.ts')).cellsJob,
  'single-cell.count': async () =>
    (await import('./commons/analysis/single-cell/spill.ts')).countJob,
  'single-cell.stored-codes': async () =>
    (await import('./commons/analysis/single-cell/stored-annotations.ts')).storedCodesJob,
  'single-cell.matrix': async () =>
    (await import('./commons/analysis/single-cell/matrix.ts')).matrixJob,
  'single-cell.pack-group': async () =>
    (await import('./commons/analysis/single-cell/pack-group.ts')).packGroupJob,
  'single-cell.pack-rows': async () =>
    (await import('./commons/analysis/single-cell/pack-rows.ts')).packRowsJob,
  'single-cell.print-genes': async () =>
    (await import('./commons/analysis/single-cell/print-genes.ts')).printGenesJob,
  'single-cell.scan': async () => (await import('./commons/analysis/single-cell/scan.ts')).scanJob,
  'single-cell.spill': async () =>
    (await import('./commons/analysis/single-cell/spill.ts')).spillJob,
  'single-cell.survey': async () =>
    (await import('./commons/analysis/single-cell/survey.ts')).surveyJob,
  'slicing.arrow-records': async () =>
    (await import('./commons/slicing/decode/arrow-records.ts')).arrowRecordsJob,
  'slicing.behind-index': async () => (await import('./commons/slicing/locate.ts')).behindIndexJob,
  'slicing.block-end': async () => (await import('./commons/slicing/locate.ts')).blockEndJob,
  'slicing.count': async () => (await import('./commons/slicing/decode/second-reader.ts')).countJob,
  'slicing.count-lines': async () =>
    (await import('./commons/slicing/decode/second-line-reader.ts')).countLinesJob,
  'slicing.count-otherwise': async () =>
    (await import('./commons/slicing/decode/second-reader.ts')).countOtherwiseJob,
  'slicing.coverage': async () =>
    (await import('./commons/slicing/decode/coverage-job.ts')).coverageJob,
  'slicing.header': async () => (await import('./commons/slicing/header.ts')).headerJob,
  'slicing.index': async () => (await import('./commons/slicing/index-file.ts')).indexJob,
  'slicing.line-header': async () =>
    (await import('./commons/slicing/line-header.ts')).lineHeaderJob,
  'slicing.load': async () => (await import('./commons/slicing/verify.ts')).loadJob,
  'slicing.locate': async () => (await import('./commons/slicing/locate.ts')).locateJob,
  'slicing.locate-unplaced': async () =>
    (await import('./commons/slicing/locate.ts')).locateUnplacedJob,
  'slicing.sam-header': async () =>
    (await import('./commons/slicing/decode/sam-header.ts')).samHeaderJob,
  'slicing.scan': async () => (await import('./commons/slicing/scan.ts')).scanJob,
  'slicing.scan-ahead': async () => (await import('./commons/slicing/scan.ts')).scanAheadJob,
  'slicing.edge': async () => (await import('./commons/slicing/edge.ts')).edgeJob,
  'slicing.text': async () => (await import('./commons/slicing/decode/text-job.ts')).textJob,
  'slicing.walk': async () => (await import('./commons/slicing/walk.ts')).walkJob,
  'slicing.verify': async () => (await import('./commons/slicing/verify.ts')).verifyJob,
  'naaccr.conversions': async () =>
    (await import('./registry/conversions/convert-patients.ts')).convertPatientsJob,
  'naaccr.edits': async () => (await import('./registry/edits/edit-patients.ts')).editPatientsJob,
  'naaccr.patients': async () =>
    (await import('./registry/naaccr-xml/stage-patients.ts')).stagePatientsJob,
  'staging.differences': async () =>
    (await import('./registry/staging/store/difference-lines.ts')).differenceLinesJob,
  'staging.lines': async () =>
    (await import('./registry/staging/store/stage-lines.ts')).stageLinesJob,
  'submission.conclude': async () =>
    (await import('./submission/transactions/conclude.ts')).concludeJob,
  'submission.read': async () =>
    (await import('./submission/transactions/read-body.ts')).readUploadJob,
  'submission-files.validate-manifest': async () =>
    (await import('./submission/files/upload-manifest.ts')).validateManifestJob,
  'submission-files.read-part-list': async () =>
    (await import('./submission/files/read-part-list.ts')).readPartListJob,
  'submitted-graph.introspect': async () =>
    (await import('./submission/graphql/introspection.ts')).introspectJob,
  'survival.compare-groups': async () =>
    (await import('./commons/analysis/survival/compare-groups.ts')).compareGroupsJob,
  'survival.compare': async () =>
    (await import('./commons/analysis/survival/select-curves.ts')).compareCurvesJob,
  'survival.donors': async () =>
    (await import('./commons/analysis/survival/read-donors.ts')).readDonorsJob,
  'survival.select': async () =>
    (await import('./commons/analysis/survival/select-curves.ts')).selectCurvesJob,
  'survival.texts': async () =>
    (await import('./commons/analysis/survival/read-donors.ts')).donorTextsJob,
  'survival.write': async () =>
    (await import('./commons/analysis/survival/write-donors.ts')).writeDonorsJob,
  'versions.history': async () => (await import('./commons/files/versions/describe.ts')).historyJob,
  'versions.index': async () =>
    (await import('./commons/files/versions/step-index.ts')).indexStepsJob,
  'versions.latest': async () => (await import('./commons/files/versions/describe.ts')).latestJob,
  'versions.describe': async () =>
    (await import('./commons/files/versions/describe.ts')).describeVersionsJob,
}
