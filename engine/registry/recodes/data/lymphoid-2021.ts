/**
 * SEER lymphoid neoplasm recode, revision of 2021. Columns: group, name, sites, histologies. The first matching
 * row applies (readTable in table-text.ts).
 */
export const LYMPHOID_2021 = `
01 | 1(a)1.1 Lymphocyte-rich | C000-C809 | 9651
02 | 1(a)1.2 Mixed cellularity | C000-C809 | 9652
03 | 1(a)1.3 Lymphocyte-depleted | C000-C809 | 9653-9655
04 | 1(a)2 Nodular sclerosis | C000-C809 | 9663-9667
05 | 1(a)3 Classical Hodgkin lymphoma, NOS | C000-C809 | 9650 9661-9662
06 | 1(b) Nodular lymphocyte predominant Hodgkin lymphoma | C000-C809 | 9659
07 | 2(a)1 Precursor Non-Hodgkin lymphoma, B-cell | C000-C809 | 9728 9811-9819 9835-9836
08 | 2(a)2.1.1 Chronic/Small lymphocytic leuk/lymph | C000-C809 | 9670 9823
09 | 2(a)2.1.2 Prolymphocytic leukemia, B-cell | C000-C809 | 9833
10 | 2(a)2.1.3 Mantle-cell lymphoma | C000-C809 | 9673
11 | 2(a)2.2.1 Lymphoplasmacytic lymphoma | C000-C809 | 9671
12 | 2(a)2.2.2 Waldenstrom macroglubulinemia | C000-C809 | 9761
13 | 2(a)2.3.1 DLBCL, NOS | C000-C498 C500-C809 | 9680 9688 9737 9738
13 | 2(a)2.3.1 DLBCL, NOS | C000-C809 | 9684 9735
14 | 2(a)2.3.2 Intravascular large B-cell lymphoma | C499 | 9680 9688 9737 9738
14 | 2(a)2.3.2 Intravascular large B-cell lymphoma | C000-C809 | 9712
15 | 2(a)2.3.3 Primary effusion lymphoma | C000-C809 | 9678
16 | 2(a)2.3.4 Mediastinal large B-cell lymphoma | C000-C809 | 9679
17 | 2(a)2.4 Burkitt lymphoma/leukemia | C000-C809 | 9687 9826
18 | 2(a)2.5.1 Splenic MZL | C000-C809 | 9689
19 | 2(a)2.5.2 Extranodal MZL, MALT type | C000-C769 C780-C809 | 9699
19 | 2(a)2.5.2 Extranodal MZL, MALT type | C000-C809 | 9760 9764
20 | 2(a)2.5.3 Nodal MZL | C770-C779 | 9699
21 | 2(a)2.6 Follicular lymphoma | C000-C809 | 9675 9690-9691 9695 9698
22 | 2(a)2.7 Hairy-cell leukemia | C000-C809 | 9940
23 | 2(a)2.8.1 Plasmacytoma | C000-C809 | 9731 9734
24 | 2(a)2.8.2 Multiple myeloma/plasma-cell leuk | C000-C809 | 9732-9733
25 | 2(a)2.9 Heavy chain disease | C000-C809 | 9762
26 | 2(a)3 Non-Hodgkin lymphoma, B-cell, NOS | C000-C809 | 9591 9597
27 | 2(b)1 Precursor Non-Hodgkin lymphoma, T-cell | C000-C809 | 9729 9837
28 | 2(b)2.1.1 Mycosis fungoides | C000-C809 | 9700
29 | 2(b)2.1.2 Sezary syndrome | C000-C809 | 9701
30 | 2(b)2.2.1 Peripheral T-cell lymphoma, NOS | C000-C809 | 9702
31 | 2(b)2.2.2 Angioimmunoblastic T-cell lymphoma | C000-C809 | 9705
32 | 2(b)2.2.3 Subcutan panniculitis-like T-cell lymph | C000-C809 | 9708
33 | 2(b)2.2.4 Anaplastic lar cell lymph, T-/Null-cell | C000-C809 | 9714 9715
34 | 2(b)2.2.5 Hepatosplenic T-cell lymphoma | C000-C809 | 9716
35 | 2(b)2.2.6 Enteropathy-type T-cell lymphoma | C000-C809 | 9717
36 | 2(b)2.2.7 Cutaneous T-cell lymphoma, NOS | C000-C809 | 9709 9726
37 | 2(b)2.2.8 Prim cutaneous anaplastic lar cell lymph | C000-C809 | 9718
38 | 2(b)2.3 Adult T-cell leukemia/lymphoma | C000-C809 | 9827
39 | 2(b)2.4 NK/T-cell lymph, nasal-type/aggres NK leuk | C000-C809 | 9719 9948
40 | 2(b)2.5 T-cell large granular lymphocytic leukemia | C000-C809 | 9831
41 | 2(b)2.6 Prolymphocytic leukemia, T-cell | C000-C809 | 9834
42 | 2(c) Non-Hodgkin lymphoma, unknown lineage | C000-C809 | 9727 9832
43 | 3 Composite Hodgkin lymphoma and NHL | C000-C809 | 9596
44 | 4 Lymphoid neoplasm, NOS | C000-C809 | 9590 9594 9724 9725 9820 9970 9971
`
