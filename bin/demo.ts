import type { Engine } from '../engine/index.ts'
import {
  DEMO_STEPS,
  DEMO_TUMOURS,
  demoKey,
  demoToken,
  hasDemo,
  hasDemoSecrets,
  makeDemo,
} from '../fixtures/demo.ts'
import { DEMO_EXPRESSION, DEMO_FILES } from '../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../fixtures/downloads.ts'
import { DEMO_CASE, DEMO_STAGING } from '../fixtures/staging/algorithm.ts'
import { DEMO_TRIAL } from '../fixtures/submission/trial.ts'
import { startProgress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** Creates the missing parts of the demo, and prints what it creates. */
export async function completeDemo(
  engine: Engine,
  signal: AbortSignal,
  terminal: Pick<Terminal, 'explain' | 'err'>,
): Promise<void> {
  if (await hasDemo(engine)) return
  terminal.explain(
    'casemill: making the demo: some ten seconds on two free processors, once; Ctrl-C ends it',
  )
  const progress = startProgress(terminal, 'making the demo', DEMO_STEPS)
  const onStep = (step: string) => {
    progress.clearLine()
    terminal.explain(`casemill: ${step} (first start only)`)
    progress.advance(1)
  }
  try {
    await makeDemo(engine, { signal, onStep })
  } finally {
    progress.stop()
  }
}

/** Returns commands to try, with the demo's secrets, which are new with each start. */
export async function toTry(engine: Engine, address: string): Promise<string[]> {
  const [open, controlled] = DEMO_FILES
  const former = await hasDemoSecrets(engine)
  const token = await demoToken(engine)
  const key = await demoKey(engine)
  const expression = {
    case_ids: DEMO_EXPRESSION.caseIds,
    gene_ids: DEMO_EXPRESSION.geneIds,
    tsv_units: 'uqfpkm',
  }
  return [
    ...(former ? ['this start has ended the demo token and key of the earlier one'] : []),
    `demo token for the controlled file and for project ${DEMO_TRIAL.id}: ${token}`,
    `demo key for the registry: ${key}`,
    'try:',
    `curl -s ${address}/status`,
    `curl -s '${address}/cases?facets=primary_site&size=1&pretty=true'`,
    `curl -s '${address}/files?fields=file_name,data_type,cases.submitter_id,cases.primary_site&format=tsv&size=20' -o files.tsv`,
    `curl -s '${address}/data/${DEMO_DOWNLOADS.slice(0, 2).map(({ id }) => id)}?tarfile' -o counts.tar`,
    `curl -s -H 'Content-Type: application/json' -d '${JSON.stringify(expression)}' ${address}/gene_expression/values -o expression.tsv`,
    `curl -s '${address}/slicing/view/${open.id}?region=chr17:7661779-7687550' -o tp53.bam`,
    `curl -s -H 'X-Auth-Token: ${token}' -H 'Content-Type: application/json' -d '{"geneannot":["TP53"]}' ${address}/slicing/view/${controlled.id} -o controlled.bam`,
    `curl -s -H 'X-Auth-Token: ${token}' '${address}/submission/${DEMO_TRIAL.program}/${DEMO_TRIAL.code}/export?node_label=sample' -o samples.tsv`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(DEMO_CASE)}' ${address}/rest/staging/${DEMO_STAGING.algorithm}/${DEMO_STAGING.version}/stage`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(DEMO_TUMOURS)}' ${address}/rest/mph`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' ${address}/rest/rx/latest/id/doxorubicin/regimens`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' '${address}/rest/ndc?q=tresoplatin'`,
  ]
}
