# The comments of gpis.h as Doxygen wants them: /** before a declaration, /**< behind it. Its own commands are text here.
/^[ *\/]|\/\*/ { s/@/\&#64;/g; s/\\/\&#92;/g; }
# headings of sections and comments on nothing stay as they are
/^\/\* ----/ b
s:^([ ]*)/\*([^*]):\1/**\2:
s:([,;{)] *)/\*([^*]):\1/**<\2:
s:^( +[A-Z_0-9]+( = [^ ,]+)?,? *)/\*([^*]):\1/**<\3:
