// Pairs of hematopoietic histologies that count as the same disease until 2009.

/**
 * Diagnoses until 2000. A line without a colon names a group. In other lines, a histology after the colon is the
 * same disease as one before the colon, if it is diagnosed second. The source contains a reversed range
 * (9761-9760), which matches nothing.
 */
export const PAIRS_1998 = `
Hodgkin's disease
9650-9667: 9590 9650-9667
Malignant lymphoma, NOS
9590: 9590-9595 9650-9667 9670-9686 9688 9690-9698 9702-9717 9723 9731-9732 9760-9761 9800 9803
  9820-9828 9830 9850
Non-Hodgkin's lymphoma
9591-9595: 9590-9595 9670-9686 9688 9690-9698 9702-9717 9723 9731-9732 9761-9760 9800 9803
  9820-9828 9830 9850
9670-9686: 9590-9595 9670-9686 9688 9690-9698 9702-9717 9723 9731-9732 9761-9760 9800 9803
  9820-9828 9830 9850
9688: 9590-9595 9670-9686 9688 9690-9698 9702-9717 9723 9731-9732 9761-9760 9800 9803 9820-9828
  9830 9850
9690-9698: 9590-9595 9670-9686 9688 9690-9698 9702-9717 9723 9731-9732 9761-9760 9800 9803
  9820-9828 9830 9850
9711-9717: 9590-9595 9670-9686 9688 9690-9698 9702-9717 9723 9731-9732 9761-9760 9800 9803
  9820-9828 9830 9850
Burkitt's lymphoma
9687: 9590-9592 9595 9687 9820-9822 9824-9828
Cutaneous and peripheral T-cell lymphomas
9700-9709: 9590-9592 9595 9700-9709 9800-9801 9803 9820-9828
Malignant histiocytosis or Letterer-Siwe's disease
9720: 9590-9591 9595 9720 9722-9723 9940-9941
9722-9723: 9590-9591 9595 9720 9722-9723 9940-9941
Plasmacytoma or multiple myeloma
9731-9732: 9590-9591 9595 9671 9680-9682 9684 9698 9714 9731-9732 9761 9830
Mast cell tumor
9740-9741: 9740-9741 9800-9801 9803 9890-9894 9900
Immunoproliferative disease, NOS or Waldenstrom's macroglobulinemia
9760-9761: 9590-9592 9595 9670-9672 9680-9682 9684 9698 9714 9731-9732 9760-9761 9830
Leukemia, NOS
9800: 9701 9800-9941
Acute leukemia, NOS
9801: 9701 9800-9941
Chronic leukemia, NOS
9803: 9590-9595 9670-9688 9690-9698 9700-9717 9723 9731-9732 9760-9761 9800-9941
Lymphocytic leukemia
9820-9828: 9590-9595 9670-9688 9690-9698 9700-9717 9723 9800-9801 9803 9820-9828 9830 9850
  9940-9941
Plasma cell leukemia
9830: 9731-9732 9760-9761 9800-9801 9803 9820-9828 9830 9850 9940-9941
Lymphosarcoma cell leukemia
9850: 9590-9595 9670-9688 9690-9698 9702-9717 9723 9731-9732 9760-9761 9800-9801 9803 9820-9828
  9830 9850
Non-lymphocytic leukemias
9840-9842: 9800-9801 9803 9840-9842 9860-9894 9910-9932
9860-9894: 9800-9801 9803 9840-9842 9860-9894 9910-9932
9910-9932: 9800-9801 9803 9840-9842 9860-9894 9910-9932
Mast cell leukemia
9900: 9740-9741 9800-9801 9803 9900
Hairy cell leukemia or leukemic reticuloendotheliosis
9940-9941: 9720 9722 9820 9940-9941
`

/** 2001 to 2009: number, histologies and name of each group. The first group with a histology applies. */
export const GROUPS_2001 = `
1 9590 Malignant lymphoma, NOS
2 9591 Malignant lymphoma, non-Hodgkin, NOS
3 9596 Composite Hodgkin and non-Hodgkin lymphoma
4 9650-9667 Hodgkin lymphoma (all subtypes)
5 9670-9671 Malignant lymphoma, small B lymphocytic
6 9673 Mantle cell lymphoma
7 9675-9684 Malignant lymphoma, diffuse large B-cell
8 9687 Burkitt lymphoma
9 9689 Marginal zone B,cell lymphoma
9 9699 Marginal zone B,cell lymphoma
10 9690-9698 Follicular lymphoma
11 9700-9701 Mycosis fungoides and Sezary syndrome
12 9702-9719 T/NK-cell non-Hodgkin lymphoma
13 9727 Precursor cell lymphoblastic lymphoma, NOS
14 9728 Precursor B,cell lymphoblastic lymphoma
15 9729 Precursor T,cell lymphoblastic lymphoma
16 9731-9734 Plasma cell tumors
17 9740-9742 Mast cell tumors
18 9750-9756 Histiocytosis/Langerhans cell histiocytosis
19 9757-9758 Dendritic cell sarcoma
20 9760 Immunoproliferative disease, NOS
21 9761 Waldenstrom macroglobulinemia
22 9762 Heavy chain disease, NOS
23 9764 Immunoproliferative small intestinal disease
24 9800-9801 Leukemia, NOS/Acute leukemia, NOS
25 9805 Acute biphenotypic leukemia
26 9820 Lymphoid leukemia, NOS
27 9823 B,cell chronic lymphocytic leukemia/small lymphocytic lymphoma
28 9826 Burkitt cell leukemia
29 9827 Adult T,cell leukemia/lymphoma (HTLV-1 positive)
30 9832 Prolymphocytic leukemia, NOS
31 9833 Prolymphocytic leukemia, B,cell type
32 9834 Prolymphocytic leukemia, T,cell type
33 9835 Precursor cell lymphoblastic leukemia, NOS
34 9836 Precursor B,cell lymphoblastic leukemia
35 9837 Precursor T,cell lymphoblastic leukemia
36 9840-9910 Myeloid leukemias
37 9920 Therapy related acute myelogenous leukemia
38 9930 Myeloid sarcoma
39 9931 Acute panmyelosis with myelofibrosis
40 9940 Hairy cell leukemia
41 9945 Chronic myelomonocytic leukemia, NOS
42 9946 Juvenile myelomonocytic leukemia
43 9948 Aggressive NK,cell leukemia
44 9950 Polycythemia vera
45 9960 Chronic myeloproliferative disease, NOS
46 9961 Myelosclerosis with myeloid metaplasia
47 9962 Essential thrombocythemia
48 9963 Chronic neutrophilic leukemia
49 9964 Hypereosinophilic syndrome
50 9980-9986 Refractory anemias
51 9987 Therapy related myelodysplastic syndrome, NOS
52 9989 Myelodysplastic syndrome, NOS
`

/** Diagnoses of 2001 to 2009: a group, and the groups that are the same disease if they are diagnosed second. */
export const GROUP_PAIRS_2001 = `
1: 1-43
2: 1 2 5-15 19-29 33-35
3: 1-15 20-24 26-29 33-35
4: 1 4
5: 1 2 5 7 21 25-27 30 31
6: 1 2 6 25
7: 1 2 5 7 8 10 20-23 25-27 30 31
8: 1 2 8 24-26 28
9: 1 2 9 25
10: 1 2 7 10 25
11: 1 2 11 25 26
12: 1 2 12 20 25 26
13: 1 2 13-15 24-26 33-35
14: 1 2 13 14 24-26 33 34
15: 1 2 13 15 24-26 33 35
16: 16
17: 17
18: 18
19: 1 2 19
20: 1 2 5 7 16 20-23
21: 1 2 5 7 20 21 26 27
22: 1 2 20 22 23 26 27
23: 1 2 16 20 22 23
24: 1 2 8 12-15 24-26 28 29 33-38 41 42 45 46 48 49 51 52
25: 1 2 5-15 24-43 45 46 50-52
26: 1 2 8 10-15 20-22 24-35 40 43
27: 1 2 5 7 20 25-27 30 31
28: 1 2 8 24-26 28
29: 1 2 25 26 29
30: 5 25-27 30-32
31: 5 25-27 30 31
32: 25 26 29 30 32
33: 1 2 13-15 24-26 33-35
34: 1 2 13 14 24-26 33 34
35: 1 2 13 15 24-26 33 35
36: 24 25 36-39 41 42 45-49 51 52
37: 24 25 36-39 41 42 46 51 52
38: 24 25 36-39 41 42 45-48 51 52
39: 24 25 36-39 41 42 46 51 52
40: 24 25 40
41: 24 25 36-39 41 42 45 46 48 51 52
42: 24 25 36-39 41 42 46 51 52
43: 1 2 12 24-26 43
44: 24 44-46
45: 24 25 36-39 41 45-48
46: 24 25 36-39 41 42 45-48 51 52
47: 24 36-39 41 45-48
48: 24 36-39 41 45-48
49: 24 36-39 41 42 45 46 49
50: 24 25 36-39 41 42 45 46 50-52
51: 24 25 36-39 41 42 45 46 50-52
52: 24 25 36-39 41 42 45 46 50-52
`
