export interface MolecularTest {
  readonly laboratory_test?: string | null
  readonly mismatch_repair_mutation?: string | null
  readonly test_result?: string | null
}

interface Followed {
  readonly follow_ups?: readonly { readonly molecular_tests?: readonly MolecularTest[] }[]
}

/** Returns the tests of a case that tell about microsatellites or the repair of mismatches. */
export function testsOf(hit: object): readonly MolecularTest[] {
  const tests = ((hit as Followed).follow_ups ?? []).flatMap((one) => one.molecular_tests ?? [])
  return tests.filter(
    ({ laboratory_test: name, mismatch_repair_mutation: repair }) =>
      /microsatellite|mismatch repair/i.test(name ?? '') || Boolean(repair),
  )
}
