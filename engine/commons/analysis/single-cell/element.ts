interface ElementOf {
  readonly caseId: string | null
  readonly fileId: string
  readonly geneId: string
}

/** Returns the JSON of a gene in the response, up to the list of its cells. */
export function elementStart({ caseId, fileId, geneId }: ElementOf): string {
  const head = JSON.stringify({ case_id: caseId, file_id: fileId, gene_id: geneId })
  return `${head.slice(0, -1)},"cells":[`
}

/** Returns the JSON of a gene in the response after the list of its cells. */
export function elementEnd(geneId: string, isKnown: boolean): string {
  const errors = isKnown ? [] : [`the file has no gene ${geneId}`]
  return `],"errors":${JSON.stringify(errors)}}`
}
