exec(open('t.py').read().split("n=200")[0])
n=4000
# rare duplicates: two equal columns with very few entries, missed by samples
A=rng.normal(size=(n,12)); A[:,5]=0; A[17,5]=3; A[:,9]=A[:,5]
y=rng.normal(size=n)
for opts in ([],['--method','newton','--sketch','sample','--m','200'],['--method','newton','--sketch','count','--m','200']):
    for st in ('none','nonneg','l1:0.05','box:-9,9'):
        j,x=solve(A,y,'--set',st,*opts)
        if j: print(opts[2:],st,j['status'],j['passes'],j['unique'],j['unique_reason'],j['gap_kind'])
