exec(open('t.py').read().split("n=200")[0])
from fractions import Fraction as F
def lu(K,b):
    n=len(b); K=[r[:]+[b[i]] for i,r in enumerate(K)]
    for c in range(n):
        p=next(i for i in range(c,n) if K[i][c]!=0); K[c],K[p]=K[p],K[c]
        for i in range(n):
            if i!=c and K[i][c]!=0:
                m=K[i][c]/K[c][c]; K[i]=[a-m*bb for a,bb in zip(K[i],K[c])]
    return [K[i][n]/K[i][i] for i in range(n)]
rng=np.random.default_rng(2)
n,d=30,6
A=rng.integers(-5,6,(n,d)).astype(float); x=np.abs(rng.integers(1,4,d)).astype(float)
for eps in (1e-8,1e-11):
    y=A@x; y=y+eps*np.linalg.norm(y)/np.sqrt(n)*rng.normal(size=n)
    R=float(x.sum())
    j,xx=solve(A,y,'--set','simplex:%r'%R)
    M=[[F(v) for v in r] for r in A.tolist()]; Y=[F(v) for v in y.tolist()]
    GG=[[sum(M[i][a]*M[i][c] for i in range(n)) for c in range(d)] for a in range(d)]; b=[sum(M[i][a]*Y[i] for i in range(n)) for a in range(d)]
    K=[GG[a]+[F(1)] for a in range(d)]+[[F(1)]*d+[F(0)]]
    s=lu(K,b+[F(R)])
    f=lambda v:sum((Y[i]-sum(M[i][c]*v[c] for c in range(d)))**2 for i in range(n))
    fs=f(s[:d]); X=[F(float(v)) for v in xx]; fx=f(X); off=sum(X)-F(R)
    print(eps,j['status'],'true excess rel %.2e'%float((fx-fs)/fs),'gap rel %.2e'%(j['gap']/j['objective']),'sum off %.1e'%float(off),'mult*off/f %.1e'%float(2*abs(s[d])*abs(off)/fs), j['warning'])
    print('uSigma/r', 1.1e-16*np.sum(np.linalg.norm(A,axis=0)*np.abs(xx))/np.sqrt(j['objective']), 'mult*R*u/f', float(2*abs(s[d]))*R*1e-16/float(fs))
