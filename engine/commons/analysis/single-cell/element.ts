interface ElementOf {
  readonly caseId: string | null
  readonly fileId: string
  readonly geneId: string
}

/** An element of an answer up to where its cells start. */
export function elementStart({ caseId, fileId, geneId }: ElementOf): string {
  const head = JSON.stringify({ case_id: caseId, file_id: fileId, gene_id: geneId })
  return `${head.slice(0, -1)},"cells":[`
}

/** An element behind its cells. */
export function elementEnd(geneId: string, isKnown: boolean): string {
  const errors = isKnown ? [] : [`the file has no gene ${geneId}`]
  return `],"errors":${JSON.stringify(errors)}}`
}
