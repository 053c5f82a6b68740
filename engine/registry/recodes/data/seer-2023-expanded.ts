/**
 * SEER site recode, expanded revision of 2023 (seer.cancer.gov/siterecode/icdo3_2023_expanded). Columns: group,
 * name, sites, histologies (`not` excludes), behaviors, years. The first matching row applies (readTable in
 * table-text.ts).
 */
export const SEER_2023_EXPANDED = `
01 | Lip | C000-C006 C008-C009 | not 9050-9055 9140 9590-9993 | 2 3
02 | Tongue Anterior | C020-C023 C028-C029 | not 9050-9055 9140 9590-9993 | 2 3
03 | Gum | C030-C031 C039 C062 | not 9050-9055 9140 9590-9993 | 2 3
04 | Floor of Mouth | C040-C041 C048-C049 | not 9050-9055 9140 9590-9993 | 2 3
05 | Palate excluding Soft and Uvula | C050 | not 9050-9055 9140 9590-9993 | 2 3
06 | Buccal Mucosa | C060 C061 | not 9050-9055 9140 9590-9993 | 2 3
07 | Mouth Other | C058-C059 C068-C069 | not 9050-9055 9140 9590-9993 | 2 3
08 | Major Salivary Glands | C079 C080-C081 C088-C089 | not 9050-9055 9140 9590-9993 | 2 3
09 | Nasopharynx | C110-C113 C118-C119 | not 9050-9055 9140 9590-9993 | 2 3
10 | Oropharynx | C019 C024 C051-C052 C090-C091 C098-C099 C100 C102-C104 C108-C109 | not 9050-9055
  9140 9590-9993 | 2 3
11 | Hypopharynx | C129 C130-C132 C138-C139 | not 9050-9055 9140 9590-9993 | 2 3
12 | Pharynx and Oral Cavity Other | C140 C142 C148 | not 9050-9055 9140 9590-9993 | 2 3
13 | Nasal Cavity and Paranasal Sinuses | C300 C310 C311 | not 9050-9055 9140 9590-9993 | 2 3
14 | Sinus Other | C301 C312-C313 C318-C319 | not 9050-9055 9140 9590-9993 | 2 3
15 | Larynx | C101 C320-C323 C328-C329 | not 9050-9055 9140 9590-9993 | 2 3
16 | Esophagus | C150-C155 C158-C159 | not 9050-9055 9140 9590-9993 | 2 3
17 | Stomach | C160-C166 C168-C169 | not 9050-9055 9140 9590-9993 | 2 3
18 | Small Intestine | C170-C173 C178-C179 | not 9050-9055 9140 9590-9993 | 2 3
19 | Appendix | C181 | not 9050-9055 9140 9590-9993 | 2 3
20 | Colon and Rectum (excluding Appendix) | C180 C182-C189 C199 C209 | not 9050-9055 9140 9590-9993
  | 2 3
21 | Anus, Anal Canal and Anorectum | C210-C212 C218 | not 9050-9055 9140 9590-9993 | 2 3
22 | Liver | C220 | not 9050-9055 9140 9590-9993 | 2 3
23 | Intrahepatic Bile Duct | C221 | not 9050-9055 9140 9590-9993 | 2 3
24 | Gallbladder | C239 | not 9050-9055 9140 9590-9993 | 2 3
25 | Extrahepatic Bile Ducts | C240 | not 9050-9055 9140 9590-9993 | 2 3
26 | Ampulla of Vater | C241 | not 9050-9055 9140 9590-9993 | 2 3
27 | Biliary Other | C248-C249 | not 9050-9055 9140 9590-9993 | 2 3
28 | Pancreas | C250-C254 C257-C259 | not 9050-9055 9140 9590-9993 | 2 3
29 | Digestive Other | C260 C268-C269 | not 9050-9055 9140 9590-9993 | 2 3
30 | Lung and Bronchus | C340-C343 C348-C349 | not 9050-9055 9140 9590-9993 | 2 3
31 | Thymus | C379 | not 9050-9055 9140 9590-9993 | 2 3
32 | Heart, Mediastinum and Pleura | C380-C384 C388 | not 9050-9055 9140 9590-9993 | 2 3
33 | Trachea, and Respiratory Other | C339 C390 C398-C399 | not 9050-9055 9140 9590-9993 | 2 3
34 | Bones and Joints | C400-C403 C408-C414 C418-C419 | not 9050-9055 9140 9590-9993 | 2 3
35 | Retroperitoneum and Peritoneum | C480-C482 C488 | not 9050-9055 9140 9590-9993 | 2 3
36 | Soft Tissue | C470-C476 C478-C479 C490-C496 C498-C499 | not 9050-9055 9140 9590-9993 | 2 3
37 | Melanoma of the Skin | C440-C449 | 8720-8790 | 2 3
38 | Other Non-Epithelial Skin | C440-C449 | not 8720-8790 9050-9055 9140 9590-9993 | 2 3
39 | Breast | C500-C506 C508-C509 | not 9050-9055 9140 9590-9993 | 2 3
40 | Vulva | C510-C512 C518-C519 | not 9050-9055 9140 9590-9993 | 2 3
41 | Vagina | C529 | not 9050-9055 9140 9590-9993 | 2 3
42 | Cervix | C530-C531 C538-C539 | not 9050-9055 9140 9590-9993 | 2 3
43 | Corpus | C540-C543 C548-C549 C559 | not 9050-9055 9140 9590-9993 | 2 3
44 | Ovary | C569 | not 9050-9055 9140 9590-9993 | 2 3
45 | Fallopian Tube | C570 | not 9050-9055 9140 9590-9993 | 2 3
46 | Adnexa Other and Genital Female Other | C571-C574 C577-C579 | not 9050-9055 9140 9590-9993 | 2
  3
47 | Placenta | C589 | not 9050-9055 9140 9590-9993 | 2 3
48 | Penis | C600-C602 C608-C609 | not 9050-9055 9140 9590-9993 | 2 3
49 | Prostate | C619 | not 9050-9055 9140 9590-9993 | 2 3
50 | Testis | C620-C621 C629 | not 9050-9055 9140 9590-9993 | 2 3
51 | Genital Male Other | C630-C632 C637-C639 | not 9050-9055 9140 9590-9993 | 2 3
52 | Kidney Parenchyma | C649 | not 9050-9055 9140 9590-9993 | 2 3
53 | Kidney Renal Pelvis | C659 | not 9050-9055 9140 9590-9993 | 2 3
54 | Ureter | C669 | not 9050-9055 9140 9590-9993 | 2 3
55 | Urinary Bladder | C670-C679 | not 9050-9055 9140 9590-9993 | 2 3
56 | Urethra | C680 | not 9050-9055 9140 9590-9993 | 2 3
57 | Urinary Other | C681 C688-C689 | not 9050-9055 9140 9590-9993 | 2 3
58 | Eye and Orbit | C690-C696 C698-C699 | not 9050-9055 9140 9590-9993 | 2 3
59 | Meninges (Malignant) | C700 C701 C709 | not 9050-9055 9140 9590-9993 | 2 3
60 | Brain (Malignant) | C710-C719 | not 9050-9055 9140 9590-9993 | 2 3
61 | CNS Other (Malignant) | C720-C725 C728-C729 | not 9050-9055 9140 9590-9993 | 2 3
62 | Intracranial Gland (Malignant) | C751-C753 | not 9050-9055 9140 9590-9993 | 2 3
63 | Thyroid | C739 | not 9050-9055 9140 9590-9993 | 2 3
64 | Adrenal Gland | C740-C741 C749 | not 9050-9055 9140 9590-9993 | 2 3
65 | Parathyroid | C750 | not 9050-9055 9140 9590-9993 | 2 3
66 | Endocrine Other | C754-C755 C758-C759 | not 9050-9055 9140 9590-9993 | 2 3
67 | Hodgkin Lymphomas | C000-C809 | 9650-9655 9659 9661-9665 9667 | 2 3
68 | Large B-cell lymphoma | C000-C809 | 9596 9678-9680 9684 9687-9688 9712 9735 9737-9738 9766 9826
  | 2 3
69 | Chronic lymphocytic leukemia (CLL)/Small lymphocytic lymphoma | C000-C809 | 9670 9823 | 2 3
70 | Plasma Cell Neoplasms | C000-C809 | 9731-9734 9765 9769 | 2 3
71 | Other B-cell leukemia/lymphomas or Lymphoma, NOS | C000-C809 | 9590 9591 9597 9671 9673 9675
  9689-9691 9695 9698-9699 9727 9760-9762 9764 9820 9833 9940 | 2 3 | 2010-
71 | Other B-cell leukemia/lymphomas or Lymphoma, NOS | C000-C809 | 9590 9591 9597 9671 9673 9675
  9689-9691 9695 9698-9699 9760-9762 9764 9820 9833 9940 | 2 3 | 0-2009
72 | Mycosis Fungoides/Sezary Syndrome | C000-C809 | 9700 9701 | 2 3
73 | Other T and NK-cell leukemias/lymphomas | C000-C809 | 9702 9705 9708-9709 9714-9719 9724-9726
  9767-9768 9827 9831 9832 9834 9948 | 2 3
74 | Precursor Lymphoid Neoplasms | C000-C809 | 9727 9728-9729 9811-9819 9835-9837 | 2 3 | 0-2009
74 | Precursor Lymphoid Neoplasms | C000-C809 | 9728-9729 9811-9819 9835-9837 | 2 3 | 2010-
75 | Acute Myeloid Leukemias | C000-C809 | 9840 9861 9865-9867 9869-9874 9877-9879 9891 9895-9898
  9910-9912 9920 9930-9931 9987 | 2 3
76 | Other Leukemias | C000-C809 | 9742 9800-9801 9805 9806-9809 9860 | 2 3
77 | Myelodysplastic Syndromes | C000-C809 | 9980 9982-9986 9989 9991-9993 | 2 3
78 | Myeloproliferative/Myelodysplastic syndromes, including MDS/MPN overlap | C000-C809 | 9863 9875
  9876 9945 9946 9950 9960-9964 9975 | 2 3
79 | Miscellaneous Hematopoietic Neoplasms | C000-C809 | 9740-9741 9749-9759 9965-9968 9970-9971 | 2
  3
80 | Mesothelioma | C000-C809 | 9050-9055 | 2 3
81 | Kaposi Sarcoma | C000-C809 | 9140 | 2 3
82 | Miscellaneous Neoplasms | C420-C424 C760-C768 C770-C779 C809 | not 9050-9055 9140 9590-9993 | 2
  3
84 | Brain, CNS Other and Intracranial Gland (Benign and Borderline) | C700-C729 C751-C753 | | 0 1
`
